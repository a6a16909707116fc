"""Writes the golden files of the Features tests.

Needs numpy, OpenCV (cv2) and dlib's C++ headers:
    g++ -std=c++17 -O2 fhog.cpp -o fhog && python3 generate.py ./fhog
Each .f32 file holds little-endian 32-bit floats; goldens.json names its producer, input and tolerance. The input
images are made by `pattern` below, which the tests repeat (TestSupport/PatternImage.swift); no photo is involved.
"""

import json
import re
import subprocess
import sys

import cv2
import numpy as np


def pattern(width, height, channels, seed):
    """Triangle waves, a chequer and noise, in whole numbers."""
    image = np.zeros((height, width, channels), np.uint8)
    state = seed
    for y in range(height):
        for x in range(width):
            for c in range(channels):
                state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
                phase = (x * (2 + c) + y * (3 - c)) % 360
                wave = phase if phase < 180 else 360 - phase
                chequer = 60 if ((x >> 3) ^ (y >> 3)) & 1 else 0
                image[y, x, c] = min(255, wave + chequer + (state >> 26))
    return image


def opencv_hog(rgb, window, block=16, stride=8, cell=8, bins=9, gamma=True, signed=False, sigma=-1.0):
    image = rgb[:, :, 0] if rgb.shape[2] == 1 else rgb[:, :, ::-1]
    hog = cv2.HOGDescriptor(window, (block, block), (stride, stride), (cell, cell), bins, 1, sigma, 0, 0.2, gamma, 64, signed)
    return hog.compute(np.ascontiguousarray(image)).ravel()


def main(fhog):
    cv2.setNumThreads(1)
    version = open("/usr/include/dlib/revision.h").read()
    dlib = ".".join(re.search(r"DLIB_%s_VERSION\s+(\d+)" % part, version).group(1) for part in ("MAJOR", "MINOR"))
    records = []

    def write(name, values, **record):
        values.astype("<f4").tofile(name + ".f32")
        records.append(dict(name=name, count=int(values.size), **record))

    producer = "OpenCV %s HOGDescriptor.compute" % cv2.__version__
    for channels in (1, 3):
        for gamma in (True, False):
            image = pattern(64, 128, channels, 7)
            values = opencv_hog(image, (64, 128), gamma=gamma)
            write("opencv-64x128-c%d-%s" % (channels, "gamma" if gamma else "plain"), values, producer=producer,
                  width=64, height=128, channels=channels, seed=7, gamma=gamma, cell=8, stride=8, bins=9,
                  signed=False, sigma=4, tolerance=1e-3)
    for channels, cell, stride, bins, signed, sigma, width, height in (
            (3, 6, 3, 18, True, 3.0, 33, 27), (1, 5, 5, 7, False, 2.5, 40, 35), (3, 4, 4, 12, False, 8.0, 32, 40)):
        image = pattern(width, height, channels, 11)
        values = opencv_hog(image, (width, height), 2 * cell, stride, cell, bins, True, signed, sigma)
        write("opencv-%dx%d-cell%d-bins%d" % (width, height, cell, bins), values, producer=producer, width=width,
              height=height, channels=channels, seed=11, gamma=True, cell=cell, stride=stride, bins=bins,
              signed=signed, sigma=sigma, tolerance=1e-3)
    producer = "dlib %s extract_fhog_features" % dlib
    for channels, cell, width, height in (
            (1, 8, 67, 131), (3, 8, 108, 72), (1, 4, 35, 41), (3, 4, 42, 33), (3, 5, 51, 39), (1, 6, 50, 51),
            (3, 3, 34, 20), (1, 2, 17, 21), (3, 7, 74, 53)):
        image = pattern(width, height, channels, 5)
        command = [fhog, str(width), str(height), str(channels), str(cell)]
        output = subprocess.run(command, input=image.tobytes(), stdout=subprocess.PIPE, check=True).stdout
        write("dlib-%dx%d-c%d-cell%d" % (width, height, channels, cell), np.frombuffer(output, "<f4"),
              producer=producer, width=width, height=height, channels=channels, seed=5, cell=cell, tolerance=1e-4)

    image = pattern(13, 11, 1, 3)
    sums, squares, tilted = cv2.integral3(image[:, :, 0])
    producer = "OpenCV %s integral3" % cv2.__version__
    for name, values in (("sums", sums), ("squares", squares), ("tilted", tilted)):
        write("integral-13x11-" + name, values.ravel(), producer=producer, width=13, height=11, channels=1, seed=3,
              tolerance=0)
    with open("goldens.json", "w") as file:
        json.dump(records, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
