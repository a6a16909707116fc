#!/usr/bin/env python3
"""What dlib's shape_predictor finds, to a fraction of a pixel.

    python3 dlib_points.py REQUEST.json        # prints one JSON object

REQUEST: {"model": FILE.dat, "step": K, "pictures": [{"file": PNG, "boxes": [[x, y, width, height], ...]}, ...]}, boxes in
whole pixels. Prints {"version": dlib's, "pictures": [[[[x, y] of each point] of each box] of each picture]}, in continuous
coordinates (whole numbers between pixels).

dlib rounds its points to whole pixels. It is therefore given each picture enlarged K times (K odd) by repeating pixels,
with the box enlarged from pixel centre to pixel centre: it then sees the same pixels at the same places of the box, and
its points are rounded to 1/K pixel.
"""
import json
import sys

import dlib
import numpy


def points(predictor, image, box, step):
    """Points of one box in continuous coordinates; `image` is already enlarged."""
    x, y, width, height = box
    half = (step - 1) // 2
    rectangle = dlib.rectangle(
        step * x + half, step * y + half, step * (x + width - 1) + half, step * (y + height - 1) + half)
    found = predictor(image, rectangle)
    return [[(found.part(k).x - half) / step + 0.5, (found.part(k).y - half) / step + 0.5]
            for k in range(found.num_parts)]


def enlarged(image, step):
    return numpy.ascontiguousarray(numpy.repeat(numpy.repeat(image, step, axis=0), step, axis=1))


def main():
    with open(sys.argv[1]) as file:
        request = json.load(file)
    predictor = dlib.shape_predictor(request["model"])
    result = []
    for picture in request["pictures"]:
        # A grey PNG is loaded as grey, a colour one as RGB.
        with open(picture["file"], "rb") as file:
            is_grey = file.read(26)[25] == 0
        load = dlib.load_grayscale_image if is_grey else dlib.load_rgb_image
        image = enlarged(load(picture["file"]), request["step"])
        result.append([points(predictor, image, box, request["step"]) for box in picture["boxes"]])
    print(json.dumps({"version": dlib.__version__, "pictures": result}))


if __name__ == "__main__":
    main()
