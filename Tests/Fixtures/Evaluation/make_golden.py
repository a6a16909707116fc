"""Makes golden.json: boxes drawn from a seed, and what pycocotools and scikit-learn say of them.

A truth is [image, x, y, width, height, label, ignored], a detection [image, x, y, width, height, label, score].

Run: python3 make_golden.py > golden.json   (needs pycocotools, scikit-learn and numpy)
"""
import contextlib
import io
import json
import random
import sys

import numpy
import sklearn
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from sklearn.metrics import average_precision_score
from importlib.metadata import version

LABELS = ["face", "person"]


def draw(seed, targets):
    """Targets, crowds and detections over ten images. Scores are all different, boxes are whole numbers."""
    dice = random.Random(seed)
    truth, found = [], []
    for number in range(targets):
        box = [dice.randrange(0, 300), dice.randrange(0, 300), dice.randrange(12, 90), dice.randrange(12, 90)]
        label = dice.randrange(2)
        image = dice.randrange(10)
        truth.append(dict(image=image, box=box, label=label, ignored=False))
        for _ in range(dice.choice([0, 1, 1, 2])):
            moved = [value + dice.randrange(-9, 10) for value in box[:2]]
            moved += [max(4, value + dice.randrange(-12, 13)) for value in box[2:]]
            found.append(dict(image=image, box=moved, label=label if dice.random() < 0.9 else 1 - label))
    for number in range(8):
        box = [dice.randrange(0, 200), dice.randrange(0, 200), dice.randrange(80, 200), dice.randrange(80, 200)]
        truth.append(dict(image=dice.randrange(10), box=box, label=dice.randrange(2), ignored=True))
    for number in range(40):
        box = [dice.randrange(0, 300), dice.randrange(0, 300), dice.randrange(8, 100), dice.randrange(8, 100)]
        found.append(dict(image=dice.randrange(10), box=box, label=dice.randrange(2)))
    scores = dice.sample(range(1, 5000), len(found))
    for one, score in zip(found, scores):
        one["score"] = score / 1000
    return truth, found


def coco(truth, found, thresholds):
    """AP of each label at each overlap threshold."""
    data = dict(
        info={}, images=[dict(id=i, width=500, height=500) for i in range(10)],
        categories=[dict(id=i + 1, name=name) for i, name in enumerate(LABELS)],
        annotations=[
            dict(id=i + 1, image_id=one["image"], category_id=one["label"] + 1, bbox=one["box"],
                 area=one["box"][2] * one["box"][3], iscrowd=int(one["ignored"]))
            for i, one in enumerate(truth)])
    with contextlib.redirect_stdout(io.StringIO()):
        api = COCO()
        api.dataset = data
        api.createIndex()
        results = api.loadRes([
            dict(image_id=one["image"], category_id=one["label"] + 1, bbox=one["box"], score=one["score"])
            for one in found])
        run = COCOeval(api, results, "bbox")
        run.params.iouThrs = numpy.array(thresholds)
        run.params.maxDets = [1, 10, 1000]
        run.evaluate()
        run.accumulate()
    precision = run.eval["precision"][:, :, :, 0, 2]
    recall = run.eval["recall"][:, :, 0, 2]
    return [
        dict(overlap=threshold, label=name, average_precision_101=float(precision[t, :, c].mean()),
             recall=float(recall[t, c]))
        for t, threshold in enumerate(thresholds) for c, name in enumerate(LABELS)]


def ranking(seed, count, levels, lead):
    """A list of right and wrong with many equal scores, and its uninterpolated average precision."""
    dice = random.Random(seed)
    right = [dice.random() < 0.4 for _ in range(count)]
    score = [dice.randrange(levels) + (lead if yes else 0) for yes in right]
    return dict(right=[int(yes) for yes in right], score=score,
                average_precision=float(average_precision_score(right, score)))


cases = []
for seed in [1, 2, 3]:
    truth, found = draw(seed, 47)
    cases.append(dict(
        seed=seed, truth=[[one["image"], *one["box"], one["label"], int(one["ignored"])] for one in truth],
        found=[[one["image"], *one["box"], one["label"], one["score"]] for one in found],
        expected=coco(truth, found, [0.5, 0.65, 0.8])))
json.dump(
    dict(producer=dict(pycocotools=version("pycocotools"), scikit_learn=sklearn.__version__, numpy=numpy.__version__),
         tolerance=1e-9, labels=LABELS, coco=cases,
         rankings=[ranking(11, 40, 6, 2), ranking(12, 60, 200, 20), ranking(13, 25, 1, 0)]),
    sys.stdout, separators=(",", ":"))
