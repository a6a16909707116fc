"""OpenCV's own people detector under the window protocol, on the held-out windows and photos of INRIA Person.

    python3 Experiments/persons/opencv_people.py            (DATASETS_DIR as for every experiment; OpenCV 4 for Python)

Its weights are, we believe, those of the paper's authors, trained on INRIA Person's training set: these very windows among it. If
so, what it misses here is what a plain HOG and linear SVM misses of windows that it has seen. Scan: no padding, steps of 1.2,
stride 8, as in the 2005 paper.
"""

import glob
import hashlib
import os

import cv2
import numpy

ROOT = os.path.join(os.environ["DATASETS_DIR"], "inria")
FLOOR = -1.5


def is_held_out(group):
    """The rule of ?keep=5/5 (Sources/DatasetReaders)."""
    return int(hashlib.sha256(group.encode()).hexdigest()[:8], 16) % 5 == 4


def windows():
    parts = {False: [], True: []}
    for path in sorted(glob.glob(f"{ROOT}/96X160H96/Train/pos/*")):
        stem = os.path.splitext(os.path.basename(path))[0]
        photo = stem[:-1] if stem[-1:].islower() and stem[-2:-1].isdigit() else stem
        parts[is_held_out(photo)].append(path)
    return parts[False], parts[True]


def window_score(hog, weights, path):
    values = hog.compute(cv2.imread(path), (8, 8), (0, 0), ((16, 16),)).ravel()
    return float(values @ weights[:-1] + weights[-1])


def scan(hog, paths):
    scores, count = [], 0
    for path in paths:
        image, scale = cv2.imread(path), 1.0
        while True:
            height, width = round(image.shape[0] / scale), round(image.shape[1] / scale)
            if height < 128 or width < 64:
                break
            level = image if scale == 1 else cv2.resize(image, (width, height), interpolation=cv2.INTER_LINEAR)
            count += ((height - 128) // 8 + 1) * ((width - 64) // 8 + 1)
            scores += list(numpy.ravel(hog.detect(level, FLOOR, (8, 8), (0, 0))[1]))
            scale *= 1.2
    return numpy.sort(numpy.array(scores))[::-1], count


def main():
    weights = cv2.HOGDescriptor_getDefaultPeopleDetector()
    hog = cv2.HOGDescriptor()
    hog.setSVMDetector(weights)
    weights = weights.ravel()
    held_in, held_out = windows()
    positives = {
        name: numpy.array([window_score(hog, weights, path) for path in paths])
        for name, paths in [("train-windows", held_in), ("validation-windows", held_out)]
    }
    negatives = {
        "validation-negatives": [
            path
            for path in sorted(glob.glob(f"{ROOT}/Train/neg/*"))
            if is_held_out("Train/neg/" + os.path.basename(path))
        ],
        "test-negatives": sorted(glob.glob(f"{ROOT}/Test/neg/*")),
    }
    print(f"OpenCV {cv2.__version__}; miss rate at 1e-5, 1e-4, 1e-3 false positives a window")
    for negative, paths in negatives.items():
        alarms, count = scan(hog, paths)
        for positive, scores in positives.items():
            rates = []
            for rate in (1e-5, 1e-4, 1e-3):
                allowed = int(rate * count)
                rates.append(f"{(scores <= alarms[allowed]).mean():.4f}" if allowed < len(alarms) else "-")
            print(f"{positive} ({len(scores)}) against {negative} ({count} windows): {' '.join(rates)}")


if __name__ == "__main__":
    main()
