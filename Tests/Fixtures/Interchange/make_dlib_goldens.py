#!/usr/bin/env python3
"""Writes the golden files of dlib's shape_predictor; needs dlib, Pillow, libdlib-data and a built windhover-train.

    python3 make_dlib_goldens.py [--program .build/release/windhover-train]

Pictures are a formula that the test repeats: `picture`. dlib's points are found to 1/101 pixel (dlib_points.py).

- tiny_shape_predictor.dat is made anew only where it is missing: dlib's train_shape_predictor (below) on these pictures.
- tiny_shape_predictor.json, points68.json: dlib's points of that file and of shape_predictor_68_face_landmarks.dat.
- ours_shape_predictor.dat, ours_shape_predictor.json: a predictor that windhover-train made of the same pictures, and the
  points that dlib finds with it.
"""
import argparse
import json
import os
import random
import subprocess
import tempfile

import dlib
import numpy
from PIL import Image

from dlib_points import enlarged, points

HERE = os.path.dirname(os.path.abspath(__file__))
STEP = 101
BIG = "/usr/share/dlib/shape_predictor_68_face_landmarks.dat"
# Five points in sides of their square.
PLACES = [(0.3, 0.3), (0.7, 0.3), (0.5, 0.6), (0.3, 0.75), (0.65, 0.75)]


def picture(k):
    y, x = numpy.mgrid[0:70, 0:90]
    return ((x * (3 + k) + y * 5 + ((x * y) >> (3 + k % 2)) + (x // 9) * 17 * (1 + k % 3)) & 255).astype(numpy.uint8)


def training_shapes(k):
    """Boxes and points of picture k: places in the square, moved at random."""
    draw = random.Random(k)
    for _ in range(4):
        side = draw.randrange(22, 61)
        x, y = draw.randrange(-10, 40), draw.randrange(-10, 30)
        yield [x, y, side, side], [(round(x + side * (u + draw.uniform(-0.06, 0.06))),
                                    round(y + side * (v + draw.uniform(-0.06, 0.06)))) for u, v in PLACES]


def write_training(folder):
    with open(os.path.join(folder, "training.xml"), "w") as file:
        file.write("<?xml version='1.0'?>\n<dataset>\n<images>\n")
        for k in range(8):
            Image.fromarray(picture(k)).save(os.path.join(folder, f"{k}.png"))
            file.write(f"<image file='{k}.png'>\n")
            for (x, y, w, h), parts in training_shapes(k):
                file.write(f"<box left='{x}' top='{y}' width='{w}' height='{h}'>\n")
                for n, (px, py) in enumerate(parts):
                    file.write(f"<part name='{n}' x='{px}' y='{py}'/>\n")
                file.write("</box>\n")
            file.write("</image>\n")
        file.write("</images>\n</dataset>\n")
    return os.path.join(folder, "training.xml")


def write_golden(name, model, cases, producer):
    predictor = dlib.shape_predictor(model)
    images = {}
    done = []
    for image, box in cases:
        if image not in images:
            images[image] = enlarged(picture(image), STEP)
        found = points(predictor, images[image], box, STEP)
        done.append({"image": image, "box": box, "points": [[round(v, 5) for v in p] for p in found]})
    golden = {
        "producer": producer, "version": f"dlib {dlib.__version__} (dlib-bin)",
        "tolerance": f"0.01 px; dlib's points are rounded to 1/{STEP} px", "step": STEP, "cases": done,
    }
    with open(os.path.join(HERE, name), "w") as file:
        json.dump(golden, file, separators=(",", ":"))
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(HERE, "../../../.build/release/windhover-train"))
    options = parser.parse_args()
    cases = [(k, box) for k in range(8) for box, _ in training_shapes(k)]
    inside = lambda name: os.path.join(HERE, name)
    with tempfile.TemporaryDirectory() as folder:
        xml = write_training(folder)
        if not os.path.exists(inside("tiny_shape_predictor.dat")):
            settings = dlib.shape_predictor_training_options()
            settings.cascade_depth, settings.num_trees_per_cascade_level, settings.tree_depth = 3, 4, 2
            settings.feature_pool_size, settings.oversampling_amount, settings.nu = 24, 10, 0.4
            dlib.train_shape_predictor(xml, inside("tiny_shape_predictor.dat"), settings)
        subprocess.run(
            [options.program, "landmarks", "--preset", "dlib", "-d", f"imglab:{xml}", "--restart", "--threads", "1",
             "-o", os.path.join(folder, "ours.dat")]
            + [word for setting in ("levels=4", "trees=6", "depth=3", "poolSize=30", "oversampling=10",
                                    "shrinkage=0.4", "poolPadding=0.1", "seed=3") for word in ("--set", setting)],
            check=True)
        os.replace(os.path.join(folder, "ours.dat"), inside("ours_shape_predictor.dat"))
    write_golden("ours_shape_predictor.json", inside("ours_shape_predictor.dat"), cases,
                 "dlib's points of a predictor that windhover-train wrote (make_dlib_goldens.py)")
    write_golden("tiny_shape_predictor.json", inside("tiny_shape_predictor.dat"), cases,
                 "dlib's points of a predictor of train_shape_predictor: 3 levels, 4 trees, depth 2, pool 24, oversampling "
                 "10, nu 0.4")
    write_golden("points68.json", BIG, [(k, [5 + 2 * k, 3 + k, 41 + k, 41 + k]) for k in range(8)],
                 "dlib's points of shape_predictor_68_face_landmarks.dat of the package libdlib-data")


if __name__ == "__main__":
    main()
