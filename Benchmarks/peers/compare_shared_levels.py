#!/usr/bin/env python3
"""What interpolated levels cost in accuracy: miss rates with 1, 2 and 3 levels for each computed feature map.

    swift build -c release --package-path Benchmarks --product hog-benchmark
    python3 Benchmarks/peers/compare_shared_levels.py [--program PATH] PEOPLE NEGATIVES

PEOPLE is a folder of INRIA's normalised positives (96 x 160, the person in the middle 64 x 128), NEGATIVES one of photos
without persons. The detector is OpenCV's own person vector, scanned at a step of 1.05 by the exact level rule. Every 6th
positive is brought to a random size of 1 to 2.5 times its own and scanned as a photo; it is missed where no window
that overlaps the person by half reaches the threshold. Every 15th negative is scanned after suppression; thresholds are
those of 0.1, 0.3, 1 and 3 false positives a photo. These are training images of the vector: the rates are too good, and
only their differences count. Prints JSON lines. Needs cv2 and numpy.
"""
import argparse
import glob
import json
import os
import subprocess
import tempfile

import cv2
import numpy


def overlap(a, b):
    x = max(0, min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0]))
    y = max(0, min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1]))
    return x * y / (a[2] * a[3] + b[2] * b[3] - x * y)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--program", default=os.path.join(here, "../.build/release/hog-benchmark"))
    parser.add_argument("people")
    parser.add_argument("negatives")
    options = parser.parse_args()
    random = numpy.random.default_rng(7)
    negatives = sorted(glob.glob(os.path.join(options.negatives, "*")))[::15]
    with tempfile.TemporaryDirectory() as folder:
        vector = os.path.join(folder, "people.txt")
        numpy.savetxt(vector, numpy.asarray(cv2.HOGDescriptor_getDefaultPeopleDetector()).ravel(), fmt="%.9g")
        people, scales = [], []
        for path in sorted(glob.glob(os.path.join(options.people, "*")))[::6]:
            scale = random.uniform(1, 2.5)
            image = cv2.resize(cv2.imread(path), (round(96 * scale), round(160 * scale)))
            people.append(os.path.join(folder, f"{len(people)}.png"))
            scales.append(scale)
            cv2.imwrite(people[-1], image)

        def scan(shared, images, threshold):
            output = subprocess.run([options.program, "scan", vector, str(shared), str(threshold), *images], check=True,
                                    stdout=subprocess.PIPE, text=True).stdout
            return [json.loads(line)["detections"] for line in output.splitlines()]

        exact = None
        for shared in (1, 2, 3):
            best = numpy.array([
                max((d["score"] for d in found if overlap(d["box"], [scale * v for v in (16, 16, 64, 128)]) >= 0.5),
                    default=-numpy.inf)
                for found, scale in zip(scan(shared, people, -1), scales)])
            false = sorted((d["score"] for found in scan(shared, negatives, -1) for d in found), reverse=True)
            exact = best if exact is None else exact
            both = numpy.isfinite(best) & numpy.isfinite(exact)
            difference = best[both] - exact[both]
            print(json.dumps({
                "shared_levels": shared, "people": len(people), "negatives": len(negatives),
                "miss_rate_at_false_positives_a_photo": {
                    rate: round(float((best < false[int(rate * len(negatives))]).mean()), 4)
                    if int(rate * len(negatives)) < len(false) else None
                    for rate in (0.1, 0.3, 1, 3)},
                "miss_rate_at_threshold_0": round(float((best < 0).mean()), 4),
                "score_difference_mean": round(float(difference.mean()), 4),
                "score_difference_deviation": round(float(difference.std()), 4),
            }), flush=True)


if __name__ == "__main__":
    main()
