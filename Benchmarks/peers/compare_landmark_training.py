#!/usr/bin/env python3
"""Trains a landmark predictor with dlib's default options by dlib and by Windhover, in turn, on the same faces and boxes.

    python3 Benchmarks/peers/compare_landmark_training.py [--programs DIR] [--faces N] [--work DIR]

Needs dlib and the data set 300w under DATASETS_DIR. Learns from 300w/train and measures on 300w/validation; the test
faces are not touched. Boxes are those of dlib's frontal detector, upsampled once where it finds nothing; a face that it
misses gets the labelled square moved and scaled as its boxes usually are, so that both sides see the same box of every
face. Each side runs on one thread in a process of its own that also reads the photos; processor seconds (user and
system) and the greatest resident memory are the kernel's account of that process. Ours runs before and after dlib, and
the slower of the two is compared. Both models are written as .dat and measured by windhover-evaluate.

Writes WORK/training.json and prints it. What is in WORK (boxes, dlib's XML, models) can be kept: the boxes are used again.
"""
import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def names(root, split):
    with open(os.path.join(root, "splits", f"{split}.txt")) as file:
        return [line.strip() for line in file if line.strip()]


def points(path):
    """Points in dlib's coordinates: whole numbers at pixel centres, counted from 0 (the files count from 1)."""
    with open(path) as file:
        text = file.read()
    body = text[text.index("{") + 1:text.index("}")]
    return [tuple(float(word) - 1 for word in line.split()) for line in body.split("\n") if line.strip()]


def labelled(shape):
    """The labelled square in continuous coordinates: x, y, side."""
    xs, ys = [x + 0.5 for x, _ in shape], [y + 0.5 for _, y in shape]
    side = max(max(xs) - min(xs), max(ys) - min(ys))
    return ((min(xs) + max(xs)) / 2 - side / 2, (min(ys) + max(ys)) / 2 - side / 2, side)


def overlap(box, square):
    x, y, w, h = box
    a, b, side = square
    width = min(x + w, a + side) - max(x, a)
    height = min(y + h, b + side) - max(y, b)
    if width <= 0 or height <= 0:
        return 0
    return width * height / (w * h + side * side - width * height)


def find_boxes(root, images):
    """For each image the box of its labelled face, whole pixels; and how many the detector missed."""
    import dlib
    detector = dlib.get_frontal_face_detector()
    best, squares = {}, {}
    for name in images:
        photo = dlib.load_rgb_image(os.path.join(root, "train", name))
        squares[name] = labelled(points(os.path.join(root, "train", os.path.splitext(name)[0] + ".pts")))
        found = detector(photo, 0) or detector(photo, 1)
        boxes = [(r.left(), r.top(), r.width(), r.height()) for r in found]
        near = max(boxes, key=lambda box: overlap(box, squares[name]), default=None)
        if near and overlap(near, squares[name]) > 0.3:
            best[name] = near
    shifts = [((x + w / 2 - a - s / 2) / s, (y + h / 2 - b - s / 2) / s, math.sqrt(w * h) / s)
              for name, (x, y, w, h) in best.items() for a, b, s in [squares[name]]]
    dx, dy, ratio = (statistics.median(values) for values in zip(*shifts))
    for name in images:
        if name not in best:
            a, b, s = squares[name]
            side = round(s * ratio)
            best[name] = (round(a + s / 2 + dx * s - side / 2), round(b + s / 2 + dy * s - side / 2), side, side)
    return best, len(images) - len(shifts)


def write_xml(path, root, images, boxes):
    with open(path, "w") as file:
        file.write("<?xml version='1.0'?>\n<dataset>\n<images>\n")
        for name in images:
            x, y, w, h = boxes[name]
            file.write(f"<image file='{os.path.join(root, 'train', name)}'>\n"
                       f"<box top='{y}' left='{x}' width='{w}' height='{h}'>\n")
            # dlib's XML holds whole pixels.
            for k, (px, py) in enumerate(points(os.path.join(root, "train", os.path.splitext(name)[0] + ".pts"))):
                file.write(f"<part name='{k:02}' x='{round(px)}' y='{round(py)}'/>\n")
            file.write("</box>\n</image>\n")
        file.write("</images>\n</dataset>\n")


def measured(command):
    """Runs a command and gives its processor seconds and greatest resident memory."""
    process = subprocess.Popen(command, stdout=sys.stderr)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} ended with {status}")
    return {"processor_seconds": usage.ru_utime + usage.ru_stime, "memory_mb": usage.ru_maxrss / 1024}


def train_by_dlib(xml, output):
    import dlib
    options = dlib.shape_predictor_training_options()
    options.num_threads = 1
    options.be_verbose = False
    dlib.train_shape_predictor(xml, output, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=os.path.join(HERE, "../../.build/release"))
    parser.add_argument("--faces", type=int, help="learn from the first so many faces only")
    parser.add_argument("--work", default="out/landmark-training")
    parser.add_argument("--dlib-only", nargs=2, metavar=("XML", "DAT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.dlib_only:
        return train_by_dlib(*options.dlib_only)
    root = os.path.join(os.environ.get("DATASETS_DIR", "."), "300w")
    if not os.path.isdir(os.path.join(root, "train")):
        sys.exit("DATASETS_DIR holds no 300w/train")
    import dlib
    os.makedirs(options.work, exist_ok=True)
    inside = lambda name: os.path.join(options.work, name)
    learn, check = names(root, "train"), names(root, "validation")
    if not os.path.exists(inside("boxes.json")):
        boxes, missed = find_boxes(root, learn + check)
        with open(inside("boxes.json"), "w") as file:
            json.dump({"boxes": boxes, "missed": missed}, file)
    with open(inside("boxes.json")) as file:
        stored = json.load(file)
    learn = learn[:options.faces] if options.faces else learn
    with open(inside("boxes.jsonl"), "w") as file:
        for name in learn + check:
            file.write(json.dumps({"image": name, "width": 0, "height": 0, "detections": [
                {"box": stored["boxes"][name], "score": 1, "label": "face"}]}) + "\n")
    with open(inside("learn.txt"), "w") as file:
        file.write("\n".join(learn) + "\n")
    write_xml(inside("learn.xml"), root, learn, stored["boxes"])
    ours = [os.path.join(options.programs, "windhover-train"), "landmarks", "--preset", "dlib", "-d",
            f"ibug:{root}/train?split={os.path.abspath(inside('learn.txt'))}", "--boxes", inside("boxes.jsonl"), "--threads", "1",
            "--restart", "-o", inside("ours.dat")]
    theirs = [sys.executable, os.path.abspath(__file__), "--dlib-only", inside("learn.xml"), inside("dlib.dat")]
    first = measured(ours)
    print(f"ours: {first}", file=sys.stderr)
    peer = measured(theirs)
    print(f"dlib: {peer}", file=sys.stderr)
    second = measured(ours)
    errors = {}
    for side in ("ours", "dlib"):
        report = json.loads(subprocess.run(
            [os.path.join(options.programs, "windhover-evaluate"), "landmarks", inside(f"{side}.dat"), "-d",
             f"ibug:{root}/train?split={root}/splits/validation.txt", "--boxes", inside("boxes.jsonl"), "--json"],
            check=True, stdout=subprocess.PIPE, text=True).stdout)
        errors[side] = {m["normalizer"]: m["mean"] for m in report["measures"]}
        errors[side]["megabytes"] = os.path.getsize(inside(f"{side}.dat")) / 1e6
    slower = max(first["processor_seconds"], second["processor_seconds"])
    figures = {
        "faces": len(learn), "validation_faces": len(check), "missed_by_detector": stored["missed"],
        "dlib_version": dlib.__version__, "threads": 1, "ours": [first, second], "dlib": peer, "errors": errors,
        "processor_ratio": peer["processor_seconds"] / slower,
        "memory_ratio": peer["memory_mb"] / max(first["memory_mb"], second["memory_mb"]),
        "load_average": os.getloadavg(),
    }
    with open(inside("training.json"), "w") as file:
        json.dump(figures, file, indent=2)
        file.write("\n")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
