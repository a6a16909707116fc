#!/usr/bin/env python3
"""Times cascades against cv2.CascadeClassifier: same file, same parameters, same rectangles, one thread, in turn.

    swift build -c release --package-path Benchmarks --product cascade-benchmark
    python3 Benchmarks/peers/compare_cascade_speed.py [--program PATH] [--rounds N] IMAGE...

Brings each photo to 640 x 480 and to 1280 x 720, in grey, and scans it for objects of 40 pixels and more (scaleFactor 1.1,
minNeighbors 3) with haarcascade_frontalface_alt2 and lbpcascade_frontalface of the package opencv-data. Each round runs both
programs once on every photo, so that a busy machine slows both; times are the working thread's own on the processor.
Rectangles are compared and must be equal. Prints JSON: medians and spreads over photos and rounds, and the ratio of medians
for each photo.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import cv2

CASCADES = ["haarcascades/haarcascade_frontalface_alt2", "lbpcascades/lbpcascade_frontalface"]
SIZES = [(640, 480), (1280, 720)]
PARAMETERS = "1.1,3,40,40,0,0"


def milliseconds(body, repeats):
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        body()
        times.append(1000 * (time.thread_time() - start))
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--program", default=os.path.join(here, "../.build/release/cascade-benchmark"))
    parser.add_argument("--cascades", default="/usr/share/opencv4")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("images", nargs="+")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    figures = {}
    unequal = 0

    def ours(*arguments):
        output = subprocess.run([options.program, *arguments], check=True, capture_output=True, text=True).stdout
        return [json.loads(line) for line in output.splitlines()]

    with tempfile.TemporaryDirectory() as folder:
        for name in CASCADES:
            path = os.path.join(options.cascades, name + ".xml")
            cascade = cv2.CascadeClassifier(path)
            for size in SIZES:
                paths = []
                for index, photo in enumerate(options.images):
                    paths.append(os.path.join(folder, f"{size[0]}-{index}.png"))
                    cv2.imwrite(paths[-1], cv2.resize(
                        cv2.imread(photo, cv2.IMREAD_GRAYSCALE), size, interpolation=cv2.INTER_AREA))
                images = [cv2.imread(path, cv2.IMREAD_GRAYSCALE) for path in paths]

                def scan(image):
                    return cascade.detectMultiScale(image, 1.1, 3, minSize=(40, 40))

                for image, line in zip(images, ours("boxes", path, PARAMETERS, *paths)):
                    theirs = sorted(tuple(map(float, box)) for box in scan(image))
                    unequal += theirs != sorted(tuple(box[:4]) for box in line["boxes"])
                times = [([], []) for _ in images]
                for _ in range(options.rounds):
                    for index, line in enumerate(ours("time", path, PARAMETERS, str(options.repeats), *paths)):
                        times[index][0].append(milliseconds(lambda: scan(images[index]), options.repeats))
                        times[index][1].append(line["median_ms"])
                ratios = [statistics.median(a) / statistics.median(b) for a, b in times]
                figures[f"{os.path.basename(name)} {size[0]}x{size[1]}"] = {
                    side: {"median_ms": round(statistics.median(all), 2), "spread_ms": [round(min(all), 2), round(max(all), 2)]}
                    for side, all in (("opencv", [t for a, _ in times for t in a]), ("ours", [t for _, b in times for t in b]))
                } | {"ratio": round(statistics.median(ratios), 2), "least_ratio": round(min(ratios), 2)}
    print(json.dumps({"opencv": cv2.__version__, "photos": len(options.images), "photos_with_other_rectangles": unequal,
                      "figures": figures}, indent=2))
    return 1 if unequal else 0


if __name__ == "__main__":
    sys.exit(main())
