#!/usr/bin/env python3
"""Compares our people detection by OpenCV's own vector with HOGDescriptor.detectMultiScale, box by box.

    swift build -c release --package-path Benchmarks --product hog-benchmark
    python3 Benchmarks/peers/compare_opencv_people.py [--program PATH] IMAGE_OR_VIDEO...

Needs cv2 and numpy. Images are written as PNG first, so that both sides see the same pixels; of a video every 20th
frame is taken. For each setting it prints how many of OpenCV's boxes have one of ours within 2 pixels on all four
sides, the share, how many of ours have one of OpenCV's, and the largest difference of scores among the pairs.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import cv2
import numpy

SETTINGS = [
    # padding in pixels, group threshold
    (0, 2), (8, 2), (16, 2), (0, 0), (8, 0), (16, 0),
]


def frames(path, step):
    if path.endswith((".avi", ".mp4", ".mpg")):
        video = cv2.VideoCapture(path)
        index = 0
        while True:
            good, frame = video.read()
            if not good:
                return
            if index % step == 0:
                yield f"{os.path.basename(path)}-{index}", frame
            index += 1
    else:
        image = cv2.imread(path)
        if image is None:
            sys.exit(f"{path}: cannot be read")
        yield os.path.basename(path), image


def matched(boxes, others):
    """How many of the boxes have one of the others, each used once, within 2 pixels on every side."""
    free = list(range(len(others)))
    count = 0
    difference = 0.0
    for x, y, w, h, score in boxes:
        best = None
        for i in free:
            a, b, c, d, other = others[i]
            gap = max(abs(x - a), abs(y - b), abs(x + w - a - c), abs(y + h - b - d))
            if gap <= 2 and (best is None or (gap, abs(score - other)) < best[:2]):
                best = (gap, abs(score - other), i)
        if best:
            free.remove(best[2])
            difference = max(difference, best[1])
            count += 1
    return count, difference


def main():
    parser = argparse.ArgumentParser()
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--program", default=os.path.join(here, "../.build/release/hog-benchmark"))
    parser.add_argument("--step", type=int, default=20, help="of a video, every so many frames")
    parser.add_argument("images", nargs="+")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    hog = cv2.HOGDescriptor()
    vector = cv2.HOGDescriptor_getDefaultPeopleDetector()
    hog.setSVMDetector(vector)
    with tempfile.TemporaryDirectory() as folder:
        numpy.savetxt(os.path.join(folder, "people.txt"), numpy.asarray(vector).ravel(), fmt="%.9g")
        paths = []
        images = []
        for source in options.images:
            for name, image in frames(source, options.step):
                path = os.path.join(folder, f"{len(paths)}.png")
                cv2.imwrite(path, image)
                paths.append(path)
                images.append(image)
        print(f"OpenCV {cv2.__version__}, {len(images)} images")
        print("padding group  opencv  ours  found  share   ours-found  score-gap")
        worst = 1.0
        for padding, group in SETTINGS:
            command = [options.program, "boxes", os.path.join(folder, "people.txt"), str(padding // 8), str(group)]
            output = subprocess.run(command + paths, check=True, capture_output=True, text=True).stdout
            lines = [json.loads(line) for line in output.splitlines()]
            total = ours_total = found = back = 0
            gap = 0.0
            for image, line in zip(images, lines):
                boxes, weights = hog.detectMultiScale(
                    image, hitThreshold=0, winStride=(8, 8), padding=(padding, padding), scale=1.05,
                    groupThreshold=group)
                theirs = [(*map(float, box), float(w)) for box, w in zip(boxes, numpy.ravel(weights))]
                ours = [(*d["box"], d["score"]) for d in line["detections"]]
                count, difference = matched(theirs, ours)
                found += count
                gap = max(gap, difference)
                back += matched(ours, theirs)[0]
                total += len(theirs)
                ours_total += len(ours)
            share = found / total if total else None
            worst = min(worst, share if share is not None else worst)
            text = "-" if share is None else f"{100 * share:.2f} %"
            print(f"{padding:7} {group:5} {total:7} {ours_total:5} {found:6}  {text:>8} {back:8} {gap:12.6f}")
        if worst < 0.98:
            sys.exit("less than 98 % of OpenCV's boxes were found")


if __name__ == "__main__":
    main()
