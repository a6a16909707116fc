#!/usr/bin/env python3
"""Makes the golden files beside it: generated samples, and what liblinear and scikit-learn make of them.

Run with liblinear-tools 2.3.0 (Debian 12), numpy and scikit-learn 1.9.1. svm.json: samples, labels, and liblinear's primal
objective for each loss and cost, from `liblinear-train -B 1 -e 1e-8` (-s 3 hinge, -s 1 squared hinge), computed here in
double precision from the weights that it wrote. platt.json: scores, labels, and the a and b of scikit-learn's
_sigmoid_calibration. Tolerances: see the tests.
"""
import json, os, subprocess, tempfile
import numpy as np
import sklearn
from sklearn.calibration import _sigmoid_calibration

here = os.path.dirname(os.path.abspath(__file__))
random = np.random.default_rng(7)


def objective(x, y, w, b, loss, c):
    slack = np.maximum(0, 1 - y * (x @ w + b))
    return 0.5 * (w @ w + b * b) + c * (slack if loss == "hinge" else slack ** 2).sum()


n, d = 60, 5
y = np.where(np.arange(n) < 24, 1.0, -1.0)
x = np.round(random.normal(size=(n, d)) + 0.4 * y[:, None], 3)
cases = []
with tempfile.TemporaryDirectory() as folder:
    data, model = os.path.join(folder, "data"), os.path.join(folder, "model")
    with open(data, "w") as file:
        for row, label in zip(x, y):
            file.write(f"{int(label):+d} " + " ".join(f"{i + 1}:{v!r}" for i, v in enumerate(row.tolist())) + "\n")
    for loss, solver in (("hinge", 3), ("squaredHinge", 1)):
        for cost in (0.01, 0.1, 1.0):
            subprocess.run(["liblinear-train", "-q", "-s", str(solver), "-B", "1", "-c", str(cost), "-e", "1e-8",
                            data, model], check=True)
            w = np.array([float(line) for line in open(model).read().split("w\n")[1].split()])
            cases.append({"loss": loss, "cost": cost, "objective": objective(x, y, w[:-1], w[-1], loss, cost)})
with open(os.path.join(here, "svm.json"), "w") as file:
    json.dump({"producer": "liblinear-tools 2.3.0+dfsg-5", "samples": x.tolist(), "positive": (y > 0).tolist(),
               "cases": cases}, file)

scores = np.round(random.normal(size=80) * 2 + np.where(np.arange(80) < 30, 1.5, -1), 3)
labels = (np.arange(80) < 30).astype(int)
a, b = _sigmoid_calibration(scores, labels)
with open(os.path.join(here, "platt.json"), "w") as file:
    json.dump({"producer": f"scikit-learn {sklearn.__version__}", "scores": scores.tolist(),
               "positive": (labels == 1).tolist(), "a": float(a), "b": float(b)}, file)
