#!/usr/bin/env python3
"""Makes boosting.json beside it: generated samples, and the sums that OpenCV's boosted trees give them.

Run with opencv-python-headless 4.14.0.94 and numpy. Each case is trained by cv2.ml.Boost without weight trimming and with
one sample a leaf allowed; `sums` is predict's PREDICT_SUM for each sample. Tolerances: see BoosterTests.
"""
import json, os
import cv2
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
random = np.random.default_rng(11)
n, d = 80, 6
labels = np.where(np.arange(n) < 36, 1, -1)
values = np.round(random.normal(size=(n, d)) + 0.5 * labels[:, None] * np.linspace(0, 1, d), 3).astype(np.float32)
categories = np.clip(np.round(random.normal(size=(n, d)) * 3 + labels[:, None] * np.linspace(0, 2, d) + 8), 0, 15)
categories = ((categories * 7) % 16).astype(np.float32)
# OpenCV smooths the leaves of the other kinds in ways of its own.
kinds = {"gentle": 3}
cases = []
for kind, number in kinds.items():
    for areCategories in [False, True]:
        for depth in [1, 2]:
            boost = cv2.ml.Boost_create()
            boost.setBoostType(number)
            boost.setWeakCount(6)
            boost.setWeightTrimRate(0)
            boost.setMaxDepth(depth)
            boost.setMinSampleCount(1)
            boost.setUseSurrogates(False)
            boost.setCVFolds(0)
            boost.setMaxCategories(256)
            types = np.array([1 if areCategories else 0] * d + [1], np.uint8)
            samples = categories if areCategories else values
            data = cv2.ml.TrainData_create(samples, cv2.ml.ROW_SAMPLE, labels.astype(np.int32), varType=types)
            boost.train(data)
            sums = boost.predict(samples, flags=(1 << 8) | 1)[1].ravel()
            cases.append({"algorithm": kind, "areCategories": areCategories, "depth": depth,
                          "sums": [round(float(s), 6) for s in sums]})
text = {"producer": "cv2.ml.Boost", "version": cv2.__version__, "labels": [int(l) for l in labels],
        "values": [[float(v) for v in row] for row in np.round(values.astype(float), 3).tolist()],
        "categories": categories.astype(int).tolist(), "cases": cases}
with open(os.path.join(here, "boosting.json"), "w") as file:
    json.dump(text, file, separators=(",", ":"))
