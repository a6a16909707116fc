#!/usr/bin/env python3
"""Writes opencv_people.json: what HOGDescriptor.detectMultiScale finds with a made-up vector on a made-up image.

Image and vector are formulas, so that the test makes them itself:
pixel (x, y) of channel c (red, green, blue): ((x x 3 + y y 5 + x y 7 + c 40 x) >> 6) mod 256,
weight i: 0.05 sin(12.9898 i), bias: -0.25.
"""
import json
import os

import cv2
import numpy

WIDTH, HEIGHT = 150, 231
x, y = numpy.meshgrid(numpy.arange(WIDTH), numpy.arange(HEIGHT))
rgb = numpy.stack([((x * x * 3 + y * y * 5 + x * y * 7 + c * 40 * x) >> 6) % 256 for c in range(3)], axis=2)
image = numpy.ascontiguousarray(rgb[:, :, ::-1].astype(numpy.uint8))
vector = numpy.append(0.05 * numpy.sin(12.9898 * numpy.arange(3780)), -0.25).astype(numpy.float32)
hog = cv2.HOGDescriptor()
hog.setSVMDetector(vector)
cv2.setNumThreads(1)
cases = []
for padding, group in [(0, 0), (8, 0), (16, 0), (0, 2), (8, 2), (16, 1)]:
    boxes, weights = hog.detectMultiScale(
        image, hitThreshold=0, winStride=(8, 8), padding=(padding, padding), scale=1.05, groupThreshold=group)
    found = [[*map(int, box), round(float(w), 5)] for box, w in zip(boxes, numpy.ravel(weights))]
    cases.append({"padding": padding // 8, "group": group, "found": sorted(found)})
    print(padding, group, len(found))
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "opencv_people.json")
with open(path, "w") as file:
    json.dump({
        "producer": "OpenCV " + cv2.__version__ + ", HOGDescriptor.detectMultiScale", "script": "make_opencv_people.py",
        "tolerance": "2 pixels a side, 0.002 of score; up to 2 in 100 boxes may be missing", "width": WIDTH,
        "height": HEIGHT, "cases": cases,
    }, file, separators=(",", ":"))
