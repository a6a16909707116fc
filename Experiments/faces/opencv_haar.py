#!/usr/bin/env python3
"""Writes what OpenCV's frontal-face cascade finds in a folder of images, as results for windhover-evaluate.

    python3 Experiments/faces/opencv_haar.py $DATASETS_DIR/cmu-mit/images haar.jsonl [--step 1.1]
    windhover-evaluate score haar.jsonl --truth cmu-mit/test --fit-boxes

Needs opencv-python-headless 4. Every window that passes haarcascade_frontalface_alt2 is taken (no minimum of neighbours) and
grouped; a group's score is the number of its windows, so that the curve goes on to single windows.
"""
import argparse
import json
import os

import cv2


def detections(cascade, image, step):
    found = cascade.detectMultiScale(image, scaleFactor=step, minNeighbors=0, minSize=(20, 20))
    if len(found) == 0:
        return []
    boxes, counts = cv2.groupRectangles([[int(v) for v in box] for box in found], 1, 0.2)
    return [{"box": [float(v) for v in box], "score": float(count), "confidence": None, "label": "face"}
            for box, count in zip(boxes, [int(count) for count in counts])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images")
    parser.add_argument("output")
    parser.add_argument("--step", type=float, default=1.1, help="scale step; OpenCV's default is 1.1")
    options = parser.parse_args()
    cascade = cv2.CascadeClassifier(os.path.join(cv2.data.haarcascades, "haarcascade_frontalface_alt2.xml"))
    lines = []
    for name in sorted(os.listdir(options.images)):
        image = cv2.imread(os.path.join(options.images, name), cv2.IMREAD_GRAYSCALE)
        if image is None:
            raise SystemExit(f"{os.path.join(options.images, name)}: is not an image that OpenCV reads")
        height, width = image.shape
        lines.append(json.dumps({"image": name, "width": width, "height": height,
                                 "detections": detections(cascade, image, options.step)}))
    with open(options.output, "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
