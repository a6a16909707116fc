#!/usr/bin/env python3
"""What cv2.CascadeClassifier.detectMultiScale finds: the other side of OpenCVCascadePeerTests.

Reads {"cascades": [path], "images": [path], "parameters": [[scaleFactor, minNeighbors, minW, minH, maxW, maxH]]} from standard
input and writes {"version": ..., "found": [[x, y, w, h], ...] for each cascade, image and set of parameters in turn}.
"""
import json
import sys

import cv2

cv2.setNumThreads(1)
request = json.load(sys.stdin)
images = [cv2.imread(path, cv2.IMREAD_GRAYSCALE) for path in request["images"]]
found = []
for path in request["cascades"]:
    cascade = cv2.CascadeClassifier(path)
    assert not cascade.empty(), path
    for image in images:
        for scale, neighbours, *sides in request["parameters"]:
            sides = [int(side) for side in sides]
            boxes = cascade.detectMultiScale(
                image, scaleFactor=scale, minNeighbors=int(neighbours), minSize=sides[:2], maxSize=sides[2:])
            found.append(sorted([*map(int, box)] for box in boxes))
json.dump({"version": cv2.__version__, "found": found}, sys.stdout)
