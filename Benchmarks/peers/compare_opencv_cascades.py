#!/usr/bin/env python3
"""Whether our cascades find the rectangles that cv2.CascadeClassifier.detectMultiScale finds.

    swift build -c release --package-path Benchmarks --product cascade-benchmark
    python3 Benchmarks/peers/compare_opencv_cascades.py [--program PATH] [--cascades DIR] [--count N] FOLDER|IMAGE...

Takes every cascade below --cascades (the package opencv-data) and N photos spread evenly over those named or found below
each folder, brings photos to at most --side pixels a side and to grey, and writes them as PNG, so that codecs have no part in
it. For each cascade and set of parameters prints how many rectangles cv2 gives, how many of ours are the same, are the same
within one pixel on all sides (matched one to one), are missing or are too many, and the largest difference of scores
(detectMultiScale3's level weights, ungrouped, less the last stage's threshold). Exit status 1 where less than 99 % agree.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

import cv2

# scaleFactor, minNeighbors, minSize, maxSize
PARAMETERS = [
    (1.1, 3, 0, 0, 0, 0), (1.05, 3, 0, 0, 0, 0), (1.1, 0, 0, 0, 0, 0), (1.1, 3, 40, 40, 0, 0), (1.2, 2, 30, 30, 120, 120),
]


def photos(places, count):
    groups = []
    for place in places:
        found = [place]
        if os.path.isdir(place):
            found = sorted(os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names
                           if name.lower().endswith((".jpg", ".jpeg", ".png")))
        groups.append(found)
    share = -(-count // len(groups))
    return [group[i * len(group) // min(share, len(group))] for group in groups for i in range(min(share, len(group)))]


def written(paths, folder, side):
    names = []
    for index, path in enumerate(paths):
        image = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
        scale = side / max(image.shape)
        if scale < 1:
            image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        names.append(os.path.join(folder, f"{index}.png"))
        cv2.imwrite(names[-1], image)
    return names


def agreement(theirs, ours):
    """The same, the same within a pixel (those included)."""
    left = collections.Counter(ours)
    same = 0
    rest = []
    for box in theirs:
        if left[box]:
            left[box] -= 1
            same += 1
        else:
            rest.append(box)
    near = same
    spare = list(left.elements())
    for x, y, w, h in rest:
        for other in spare:
            if (abs(other[0] - x) <= 1 and abs(other[1] - y) <= 1 and abs(other[0] + other[2] - x - w) <= 1
                    and abs(other[1] + other[3] - y - h) <= 1):
                spare.remove(other)
                near += 1
                break
    return same, near


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--program", default=os.path.join(here, "../.build/release/cascade-benchmark"))
    parser.add_argument("--cascades", default="/usr/share/opencv4")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--side", type=int, default=640)
    parser.add_argument("places", nargs="+")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    cascades = sorted(os.path.join(folder, name) for folder, _, names in os.walk(options.cascades)
                      for name in names if name.endswith(".xml"))
    total = [0] * 5
    with tempfile.TemporaryDirectory() as folder:
        paths = photos(options.places, options.count)
        images = written(paths, folder, options.side)
        print(f"cv2 {cv2.__version__}, {len(images)} photos of at most {options.side} pixels a side, {len(cascades)} cascades; parameters: scaleFactor, "
              "minNeighbors, minSize, maxSize")
        print(f"{'cascade':42} {'parameters':22} {'cv2':>7} {'same':>7} {'within 1':>8} {'missing':>7} {'more':>5} {'score':>8}")
        for cascade in cascades:
            peer = cv2.CascadeClassifier(cascade)
            text = ";".join(",".join(map(str, values)) for values in PARAMETERS)
            lines = [json.loads(line) for line in subprocess.run(
                [options.program, "boxes", cascade, text, *images], check=True, capture_output=True, text=True)
                .stdout.splitlines()]
            found = {(line["image"], line["parameters"]): line for line in lines}
            for values in PARAMETERS:
                counts = [0] * 5
                score = None
                for name in images:
                    image = cv2.imread(name, cv2.IMREAD_GRAYSCALE)
                    line = found[name, ",".join(map(str, values))]
                    arguments = dict(scaleFactor=values[0], minNeighbors=values[1], minSize=values[2:4], maxSize=values[4:6])
                    theirs = [tuple(map(int, box)) for box in peer.detectMultiScale(image, **arguments)]
                    ours = [tuple(map(int, box[:4])) for box in line["boxes"]]
                    same, near = agreement(theirs, ours)
                    for i, value in enumerate((len(theirs), same, near, len(theirs) - near, len(ours) - near)):
                        counts[i] += value
                    if values[1] == 0:
                        boxes, _, weights = peer.detectMultiScale3(image, outputRejectLevels=True, **arguments)
                        a = sorted((*map(int, box), float(weight)) for box, weight in zip(boxes, weights))
                        b = sorted((*map(int, box[:4]), box[4] + line["last_threshold"]) for box in line["boxes"])
                        if len(a) == len(b):
                            score = max([score or 0.0] + [abs(x[4] - y[4]) for x, y in zip(a, b)])
                        else:
                            score = float("nan")
                parameters = ",".join(map(str, values))
                print(f"{os.path.basename(cascade)[:-4]:42} {parameters:22} {counts[0]:7} {counts[1]:7} {counts[2]:8} "
                      f"{counts[3]:7} {counts[4]:5} {'-' if score is None else format(score, '8.1e'):>8}", flush=True)
                total = [a + b for a, b in zip(total, counts)]
    share = min(total[2] / max(1, total[0]), total[2] / max(1, total[2] + total[4]))
    print(f"{'all':42} {'':22} {total[0]:7} {total[1]:7} {total[2]:8} {total[3]:7} {total[4]:5}")
    print(f"{100 * total[1] / max(1, total[0]):.4f} % the same, {100 * share:.4f} % within one pixel")
    return 0 if share >= 0.99 else 1


if __name__ == "__main__":
    sys.exit(main())
