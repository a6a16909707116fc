#!/usr/bin/env python3
"""Trains the same linear SVMs with liblinear and with Windhover, in turn in one run, and compares objective and time.

    compare_liblinear.py --windhover PATH/svm-benchmark [--datasets DATASETS_DIR] [--cache DIR] [--repeats N] [--out FILE]

Feature sets (real data; INRIA and WIDER only with --datasets, or DATASETS_DIR):
  inria   HOG (64 x 128, 3780 values, OpenCV's HOGDescriptor): centres of Train/pos; 5 random windows a Train/neg photo
  wider   HOG (48 x 48, 900 values): faces of 32 px and more of the training split; 6 random windows a face-free photo
  digits  scikit-learn's digits: "8" against the others, pixels / 16
  cancer  scikit-learn's breast cancer, standardised

liblinear is Debian's liblinear.so.4 (package liblinear4), called in this process, so that neither side's time holds
file reading. Both get the same float32 values, a bias feature of 1, the same C and the same tolerance. The primal objective of
both is computed here, in double precision, from the weights that each returns. Needs numpy, scikit-learn and
opencv-python-headless.
"""
import argparse, ctypes, json, os, statistics, subprocess, sys, time
import numpy as np


class Node(ctypes.Structure):
    _fields_ = [("index", ctypes.c_int), ("value", ctypes.c_double)]


class Problem(ctypes.Structure):
    _fields_ = [("l", ctypes.c_int), ("n", ctypes.c_int), ("y", ctypes.POINTER(ctypes.c_double)),
                ("x", ctypes.POINTER(ctypes.c_void_p)), ("bias", ctypes.c_double)]


class Parameter(ctypes.Structure):
    # of liblinear 2.30, checked at loading: later versions have more fields
    _fields_ = [("solver_type", ctypes.c_int), ("eps", ctypes.c_double), ("C", ctypes.c_double),
                ("nr_weight", ctypes.c_int), ("weight_label", ctypes.c_void_p), ("weight", ctypes.c_void_p),
                ("p", ctypes.c_double), ("init_sol", ctypes.c_void_p)]


class Model(ctypes.Structure):
    _fields_ = [("param", Parameter), ("nr_class", ctypes.c_int), ("nr_feature", ctypes.c_int),
                ("w", ctypes.POINTER(ctypes.c_double)), ("label", ctypes.POINTER(ctypes.c_int)),
                ("bias", ctypes.c_double)]


class Liblinear:
    """One feature set in liblinear's own form: zeros left out, a bias node of 1 at the end of each row."""

    def __init__(self, samples, labels):
        self.library = ctypes.CDLL("liblinear.so.4")
        version = ctypes.c_int.in_dll(self.library, "liblinear_version").value
        if version != 230:
            raise SystemExit(f"liblinear 2.30 is wanted, found {version / 100}: its structures may differ")
        self.library.train.restype = ctypes.POINTER(Model)
        self.silent = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda text: None)
        self.library.set_print_string_function(self.silent)
        kind = np.dtype([("index", "<i4"), ("pad", "<i4"), ("value", "<f8")])
        self.dimension = samples.shape[1]
        present = samples != 0
        counts = present.sum(axis=1) + 2
        starts = np.concatenate([[0], np.cumsum(counts)])
        self.nodes = np.zeros(starts[-1], dtype=kind)
        for row in range(len(samples)):
            part = self.nodes[starts[row]:starts[row + 1]]
            columns = np.flatnonzero(present[row])
            part["index"][:-2] = columns + 1
            part["value"][:-2] = samples[row, columns]
            part["index"][-2], part["value"][-2] = self.dimension + 1, 1
            part["index"][-1] = -1
        self.rows = (self.nodes.ctypes.data + starts[:-1] * kind.itemsize).astype(np.uint64)
        self.y = np.where(labels, 1.0, -1.0)
        self.count = len(samples)

    def train(self, loss, cost, tolerance):
        problem = Problem(self.count, self.dimension + 1,
                          self.y.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
                          self.rows.ctypes.data_as(ctypes.POINTER(ctypes.c_void_p)), 1.0)
        parameter = Parameter(3 if loss == "hinge" else 1, tolerance, cost, 0, None, None, 0.1, None)
        start = time.perf_counter()
        model = self.library.train(ctypes.byref(problem), ctypes.byref(parameter))
        seconds = time.perf_counter() - start
        m = model.contents
        sign = 1.0 if m.label[0] == 1 else -1.0
        return seconds, sign * np.array(m.w[:self.dimension + 1])


def objective(samples, labels, weights, bias, loss, cost):
    y = np.where(labels, 1.0, -1.0)
    margins = np.array([samples[i:i + 512].astype(np.float64) @ weights for i in range(0, len(samples), 512)],
                       dtype=object)
    slack = np.maximum(0, 1 - y * (np.concatenate(margins).astype(np.float64) + bias))
    return 0.5 * (weights @ weights + bias * bias) + cost * (slack if loss == "hinge" else slack ** 2).sum()


def hog_sets(root):
    import cv2
    random = np.random.default_rng(1)

    def read(path):
        image = cv2.imread(path)
        if image is None:
            raise SystemExit(f"cannot read {path}")
        return image

    def files(folder):
        return [os.path.join(folder, n) for n in sorted(os.listdir(folder)) if n.lower().endswith((".jpg", ".png"))]

    def windows(paths, size, each):
        for path in paths:
            image = read(path)
            h, w = image.shape[:2]
            for _ in range(each):
                x, y = random.integers(0, w - size[0] + 1), random.integers(0, h - size[1] + 1)
                yield image[y:y + size[1], x:x + size[0]]

    hog = cv2.HOGDescriptor()
    folder = os.path.join(root, "inria", "96X160H96", "Train", "pos")
    negatives = os.path.join(root, "inria", "Train", "neg")
    if not os.path.isdir(negatives):
        negatives = os.path.join(root, "inria", "96X160H96", "Train", "neg")
    positive = [hog.compute(np.ascontiguousarray(read(p)[16:144, 16:80])).ravel() for p in files(folder)]
    negative = [hog.compute(np.ascontiguousarray(w)).ravel() for w in windows(files(negatives), (64, 128), 5)]
    yield "inria", positive, negative

    face = cv2.HOGDescriptor((48, 48), (16, 16), (8, 8), (8, 8), 9)
    positive = []
    listing = os.path.join(root, "wider", "wider_face_split", "wider_face_train_bbx_gt.txt")
    lines = open(listing).read().split("\n")
    place = 0
    while place + 1 < len(lines) and lines[place].strip():
        name, count = lines[place].strip(), int(lines[place + 1])
        image = None
        for line in lines[place + 2:place + 2 + max(count, 1)]:
            x, y, w, h = [int(v) for v in line.split()[:4]]
            if min(w, h) < 32:
                continue
            if image is None:
                image = read(os.path.join(root, "wider", "WIDER_train", "images", name))
            side = int(1.2 * max(w, h))
            left, top = x + w // 2 - side // 2, y + h // 2 - side // 2
            padded = cv2.copyMakeBorder(image, side, side, side, side, cv2.BORDER_REPLICATE)
            crop = padded[top + side:top + 2 * side, left + side:left + 2 * side]
            positive.append(face.compute(cv2.resize(crop, (48, 48), interpolation=cv2.INTER_AREA)).ravel())
        place += 2 + max(count, 1)
    scenes = sorted(os.path.join(d, n) for d, _, names in os.walk(os.path.join(root, "face-free")) for n in names
                    if n.lower().endswith(".jpg"))
    negative = [face.compute(np.ascontiguousarray(w)).ravel() for w in windows(scenes, (48, 48), 6)]
    yield "wider", positive, negative


def feature_sets(root, cache):
    from sklearn import datasets
    digits = datasets.load_digits()
    yield "digits", (digits.data / 16).astype(np.float32), digits.target == 8
    cancer = datasets.load_breast_cancer()
    scaled = (cancer.data - cancer.data.mean(axis=0)) / cancer.data.std(axis=0)
    yield "cancer", scaled.astype(np.float32), cancer.target == 1
    if not root:
        print("no --datasets: the sets of HOG windows are left out", file=sys.stderr)
        return
    names = [os.path.join(cache, f"{name}.npz") for name in ("inria", "wider")]
    if not all(os.path.exists(n) for n in names):
        for name, positive, negative in hog_sets(root):
            np.savez(os.path.join(cache, f"{name}.npz"), x=np.array(positive + negative, dtype=np.float32),
                     y=np.arange(len(positive) + len(negative)) < len(positive))
    for name in ("inria", "wider"):
        stored = np.load(os.path.join(cache, f"{name}.npz"))
        yield name, stored["x"], stored["y"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--windhover", required=True, help="the svm-benchmark program")
    parser.add_argument("--datasets", default=os.environ.get("DATASETS_DIR"))
    parser.add_argument("--cache", default=os.path.join(os.environ.get("TMPDIR", "/tmp"), "windhover-svm-features"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sets", nargs="*", help="only these")
    parser.add_argument("--tolerances", nargs="*", type=float, default=[0.1, 0.01, 0.001])
    parser.add_argument("--gap", default="none", help="relative duality gap that Windhover also goes on to")
    parser.add_argument("--costs", nargs="*", type=float, default=[0.01, 1.0])
    parser.add_argument("--out", help="write the figures as JSON")
    options = parser.parse_args()
    os.makedirs(options.cache, exist_ok=True)
    results = []
    print(f"{'set':8}{'n':>7}{'d':>6} {'loss':13}{'C':>6}{'tol':>7} {'liblinear':>12} {'windhover':>12} {'rel.diff':>10}"
          f"{'rel.gap':>9}{'passes':>7} {'lib s':>8}{'wind s':>8}{'ratio':>7}")
    for name, samples, labels in feature_sets(options.datasets, options.cache):
        if options.sets and name not in options.sets:
            continue
        x, y = os.path.join(options.cache, f"{name}.f32"), os.path.join(options.cache, f"{name}.u8")
        samples.astype("<f4").tofile(x)
        labels.astype(np.uint8).tofile(y)
        peer = Liblinear(samples, labels)
        for loss in ("hinge", "squaredHinge"):
            for cost in options.costs:
                for tolerance in options.tolerances:
                    theirs, ours = [], []
                    for _ in range(options.repeats):
                        seconds, w = peer.train(loss, cost, tolerance)
                        theirs.append(seconds)
                        answer = json.loads(subprocess.run(
                            [options.windhover, x, y, str(samples.shape[1]), loss, repr(cost), repr(tolerance),
                             options.gap, "1"],
                            check=True, capture_output=True).stdout)
                        ours += answer["seconds"]
                    lib = objective(samples, labels, w[:-1], w[-1], loss, cost)
                    wind = objective(samples, labels, np.array(answer["weights"]), answer["bias"], loss, cost)
                    report = answer["report"]
                    row = {
                        "set": name, "count": len(samples), "dimension": samples.shape[1], "loss": loss, "cost": cost,
                        "tolerance": tolerance, "liblinearObjective": lib, "windhoverObjective": wind,
                        "relativeDifference": (wind - lib) / lib,
                        "relativeGap": (report["primalObjective"] - report["dualObjective"]) / report["primalObjective"],
                        "iterations": report["iterations"], "converged": report["converged"],
                        "liblinearSeconds": theirs, "windhoverSeconds": ours, "core": answer["core"],
                        "timeRatio": statistics.median(theirs) / statistics.median(ours)}
                    results.append(row)
                    print(f"{name:8}{len(samples):7}{samples.shape[1]:6} {loss:13}{cost:6g}{tolerance:7g} {lib:12.6g} "
                          f"{wind:12.6g} {row['relativeDifference']:10.1e}{row['relativeGap']:9.1e}"
                          f"{row['iterations']:6}{' ' if row['converged'] else '!'} {statistics.median(theirs):8.3f}"
                          f"{statistics.median(ours):8.3f}{row['timeRatio']:7.2f}", flush=True)
    if options.out:
        with open(options.out, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
