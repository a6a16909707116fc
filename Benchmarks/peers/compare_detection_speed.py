#!/usr/bin/env python3
"""Times our HOG detection against OpenCV's people detector and dlib's frontal face detector, one thread, in turn.

    swift build -c release --package-path Benchmarks --product hog-benchmark
    python3 Benchmarks/peers/compare_detection_speed.py [--program PATH] [--rounds N] IMAGE

Needs cv2, dlib and numpy. The image is brought to 640 x 480 first and written as PNG. Each round runs every program once,
so that a busy machine slows all alike; times are the working thread's own on the processor (all programs work in one
thread). The ratio is that of the medians. Prints JSON.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import cv2
import dlib
import numpy


def milliseconds(body, repeats):
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        body()
        times.append(1000 * (time.thread_time() - start))
    return statistics.median(times)


def shared(line):
    """How many levels share a computed map, where more than one does (ScanOptions.sharedLevels)."""
    return f"_shared_{line['shared_levels']}" if line["shared_levels"] > 1 else ""


def main():
    parser = argparse.ArgumentParser()
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--program", default=os.path.join(here, "../.build/release/hog-benchmark"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("image")
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        parser.error(f"no program at {options.program}: build it by make bench, or give --program")
    if not os.path.isfile(options.image):
        parser.error(f"no photo at {options.image}")
    cv2.setNumThreads(1)
    image = cv2.resize(cv2.imread(options.image), (640, 480), interpolation=cv2.INTER_AREA)
    rgb = numpy.ascontiguousarray(image[:, :, ::-1])
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    hog = cv2.HOGDescriptor()
    vector = cv2.HOGDescriptor_getDefaultPeopleDetector()
    hog.setSVMDetector(vector)
    faces = dlib.get_frontal_face_detector()
    figures = {}

    def add(name, value):
        figures.setdefault(name, []).append(value)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "image.png")
        cv2.imwrite(path, image)
        weights = os.path.join(folder, "people.txt")
        numpy.savetxt(weights, numpy.asarray(vector).ravel(), fmt="%.9g")

        def ours(*arguments):
            output = subprocess.run([options.program, *arguments], check=True, capture_output=True, text=True).stdout
            return [json.loads(line) for line in output.splitlines()]

        for _ in range(options.rounds):
            add("opencv_people", milliseconds(
                lambda: hog.detectMultiScale(image, winStride=(8, 8), scale=1.05), options.repeats))
            for line in ours("people", weights, path, str(options.repeats)):
                add("ours_people_" + line["level_rule"] + shared(line), line["median_ms"])
            add("dlib_faces_rgb", milliseconds(lambda: faces(rgb, 0), options.repeats))
            add("dlib_faces_grey", milliseconds(lambda: faces(grey, 0), options.repeats))
            for line in ours("faces", path, str(options.repeats), "80"):
                add(f"ours_faces_{line['scale_factor']:.3f}" + shared(line), line["median_ms"])
            for line in ours("model", "face", path, str(options.repeats), "80"):
                add("ours_faces_shipped_model", line["median_ms"])
            core = line["blas_core"]
    medians = {name: round(statistics.median(values), 2) for name, values in figures.items()}
    spread = {name: [round(min(values), 2), round(max(values), 2)] for name, values in figures.items()}
    people = medians["opencv_people"]
    face = medians["dlib_faces_rgb"]
    print(json.dumps({
        "opencv": cv2.__version__, "dlib": dlib.__version__, "blas_core": core, "median_ms": medians, "spread_ms": spread,
        "ratios": {name: round((people if "people" in name else face) / value, 2)
                   for name, value in medians.items() if name.startswith("ours")},
    }, indent=2))


if __name__ == "__main__":
    main()
