#!/usr/bin/env python3
"""Times cascade files in cv2 against the one that OpenCV ships, on the same photos, in turn: what a cascade's own trees cost.

    windhover-detect model face-lbp --export face-lbp.xml
    python3 Benchmarks/peers/compare_opencv_scan.py face-lbp.xml [--peer PEER.xml] [--rounds N] IMAGE...

Needs opencv-python-headless 4. Each photo is brought to 640 x 480, in grey, and scanned for objects of 40 pixels and more
(scaleFactor 1.1, minNeighbors 3, one thread) by each file once a round. Times are the thread's own on the processor. Prints JSON: the
median time of each file, and the median over photos and rounds of its ratio to the peer (lbpcascade_frontalface of opencv-data).
"""
import argparse
import json
import statistics
import time

import cv2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cascade")
    parser.add_argument("--peer", default="/usr/share/opencv4/lbpcascades/lbpcascade_frontalface.xml")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("images", nargs="+")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    images = []
    for path in options.images:
        image = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
        if image is None:
            raise SystemExit(f"{path}: is not an image that OpenCV reads")
        images.append(cv2.resize(image, (640, 480), interpolation=cv2.INTER_AREA))
    cascades = []
    for path in (options.peer, options.cascade):
        cascades.append(cv2.CascadeClassifier())
        if not cascades[-1].load(path):
            raise SystemExit(f"{path}: is not a cascade that OpenCV loads")
    times = ([], [])
    for _ in range(options.rounds):
        for image in images:
            for cascade, own in zip(cascades, times):
                start = time.thread_time()
                cascade.detectMultiScale(image, 1.1, 3, minSize=(40, 40))
                own.append(1000 * (time.thread_time() - start))
    print(json.dumps({
        "opencv": cv2.__version__, "photos": len(images), "rounds": options.rounds,
        "peer_ms": round(statistics.median(times[0]), 2), "cascade_ms": round(statistics.median(times[1]), 2),
        "ratio": round(statistics.median(b / a for a, b in zip(*times)), 2)}, indent=2))


if __name__ == "__main__":
    main()
