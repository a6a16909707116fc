#!/usr/bin/env python3
"""Cascades of made-up numbers, and what cv2.CascadeClassifier finds by them in a made-up picture.

    python3 Tests/Fixtures/Interchange/make_opencv_cascades.py

Writes cascade-*.xml and opencv_cascades.json beside itself. Needs opencv-python-headless 4 and numpy; the JSON records the
version. Rectangles are expected to agree exactly, scores within 1e-9.
"""
import json
import os
import random

import cv2
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, HEIGHT = 131, 97
PARAMETERS = [(1.1, 3, 0, 0, 0, 0), (1.1, 0, 0, 0, 0, 0), (1.3, 1, 30, 30, 70, 70), (1.05, 2, 40, 40, 0, 0), (1.1, 0, 41, 41, 41, 41)]


def picture():
    """Triangle waves and a chequer in whole numbers: CascadeGoldenTests makes the same."""
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH].astype(numpy.int64)
    value = (x * x * 3 + y * y * 5 + x * y * 7) // 64 % 200
    return (value + ((x // 8 + y // 8) % 2) * 55).astype(numpy.uint8)


def haar(rng, width, height, tilted):
    while True:
        turned = tilted and rng.random() < 0.6
        w, h, parts = rng.randint(1, width // 2), rng.randint(1, height // 2), rng.choice([2, 3])
        if turned:
            if w * parts + h > width or w * parts + h > height:
                continue
            x, y = rng.randint(h, width - w * parts), rng.randint(0, height - w * parts - h)
            return [(x, y, w * parts, h, -1), (x + w, y + w, w, h, parts)], 1
        if w * parts > width:
            continue
        x, y = rng.randint(0, width - w * parts), rng.randint(0, height - h)
        boxes = [(x, y, w * parts, h, -1), (x + w, y, w, h, parts)]
        if parts == 2 and h % 2 == 0:
            boxes = [boxes[0], (x, y, w, h // 2, 2), (x + w, y + h // 2, w, h // 2, 2)]
        return boxes, 0


def new_form(seed, kind, width, height, nodes=1, tilted=False):
    rng = random.Random(seed)
    count = 20
    lines = ['<?xml version="1.0"?>', "<opencv_storage>", '<cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType>',
             f"<featureType>{kind}</featureType><height>{height}</height><width>{width}</width>",
             "<stageParams><maxWeakCount>4</maxWeakCount></stageParams>",
             f"<featureParams><maxCatCount>{256 if kind == 'LBP' else 0}</maxCatCount></featureParams>",
             "<stageNum>3</stageNum>", "<stages>"]
    for _ in range(3):
        trees = rng.randint(2, 4)
        lines.append(f"<_><maxWeakCount>{trees}</maxWeakCount><stageThreshold>{rng.uniform(-1.0, -0.3):.9e}</stageThreshold>")
        lines.append("<weakClassifiers>")
        for _ in range(trees):
            size = rng.randint(1, nodes)
            words = []
            for node in range(size):
                # A chain: the left branch of all but the last node leads on.
                left = str(node + 1) if node + 1 < size else str(-node - 1 if size > 1 else 0)
                right = str(-node if node + 1 < size or size > 1 else -1)
                split = (" ".join(str(rng.randint(-2**31, 2**31 - 1)) for _ in range(8)) if kind == "LBP"
                         else f"{rng.uniform(-0.02, 0.02):.9e}")
                words.append(f"{left} {right} {rng.randrange(count)} {split}")
            leaves = " ".join(f"{rng.uniform(-1, 1):.9e}" for _ in range(size + 1))
            lines.append(f"<_><internalNodes>{' '.join(words)}</internalNodes><leafValues>{leaves}</leafValues></_>")
        lines.append("</weakClassifiers></_>")
    lines += ["</stages>", "<features>"]
    for _ in range(count):
        if kind == "LBP":
            w, h = rng.randint(1, width // 3), rng.randint(1, height // 3)
            lines.append(f"<_><rect>{rng.randint(0, width - 3 * w)} {rng.randint(0, height - 3 * h)} {w} {h}</rect></_>")
        else:
            boxes, turned = haar(rng, width, height, tilted)
            rects = "".join(f"<_>{x} {y} {w} {h} {weight}.</_>" for x, y, w, h, weight in boxes)
            lines.append(f"<_><rects>{rects}</rects><tilted>{turned}</tilted></_>")
    return "\n".join(lines + ["</features></cascade>", "</opencv_storage>", ""])


def old_form(seed, width, height):
    rng = random.Random(seed)
    lines = ['<?xml version="1.0"?>', "<opencv_storage>", '<made_up type_id="opencv-haar-classifier">',
             f"<size>{width} {height}</size>", "<stages>"]
    for stage in range(3):
        lines.append("<_><trees>")
        for _ in range(rng.randint(2, 3)):
            lines.append("<_>")
            for node in range(2):
                boxes, turned = haar(rng, width, height, True)
                rects = "".join(f"<_>{x} {y} {w} {h} {weight}.</_>" for x, y, w, h, weight in boxes)
                left = "<left_node>1</left_node>" if node == 0 else f"<left_val>{rng.uniform(-1, 1):.9e}</left_val>"
                lines.append(f"<_><feature><rects>{rects}</rects><tilted>{turned}</tilted></feature>"
                             f"<threshold>{rng.uniform(-0.02, 0.02):.9e}</threshold>{left}"
                             f"<right_val>{rng.uniform(-1, 1):.9e}</right_val></_>")
            lines.append("</_>")
        lines.append(f"</trees><stage_threshold>{rng.uniform(-1.0, -0.3):.9e}</stage_threshold>"
                     f"<parent>{stage - 1}</parent><next>-1</next></_>")
    return "\n".join(lines + ["</stages></made_up>", "</opencv_storage>", ""])


def main():
    cv2.setNumThreads(1)
    image = picture()
    cases = []
    makers = {"haar": lambda seed: new_form(seed, "HAAR", 20, 20),
              "tilted": lambda seed: new_form(seed, "HAAR", 24, 16, nodes=3, tilted=True),
              "patterns": lambda seed: new_form(seed, "LBP", 18, 18),
              "pattern-trees": lambda seed: new_form(seed, "LBP", 16, 24, nodes=3), "old": lambda seed: old_form(seed, 20, 20)}
    for name, make in makers.items():
        path = os.path.join(HERE, f"cascade-{name}.xml")
        # The first seed whose cascade finds some windows, but not most.
        for seed in range(1, 1000):
            with open(path, "w") as file:
                file.write(make(seed))
            cascade = cv2.CascadeClassifier(path)
            assert not cascade.empty(), name
            if 200 <= len(cascade.detectMultiScale(image, 1.1, 0)) <= 800 and len(cascade.detectMultiScale(image, 1.1, 3)) > 4:
                break
        for scale, neighbours, *sides in PARAMETERS:
            boxes, _, weights = cascade.detectMultiScale3(
                image, scaleFactor=scale, minNeighbors=neighbours, minSize=sides[:2], maxSize=sides[2:], outputRejectLevels=True)
            found = sorted([*map(int, box), round(float(weight), 12)] for box, weight in zip(boxes, weights))
            print(name, scale, neighbours, sides, len(found))
            if len(found) > 120:
                # Ungrouped, many: what is kept is enough to notice any difference in numbers of windows and their sums.
                cases.append({"cascade": name, "parameters": [scale, neighbours, *sides], "count": len(found),
                              "sums": [round(sum(box[i] for box in found), 6) for i in range(5)]})
            else:
                cases.append({"cascade": name, "parameters": [scale, neighbours, *sides], "found": found})
    with open(os.path.join(HERE, "opencv_cascades.json"), "w") as file:
        json.dump({"producer": f"cv2 {cv2.__version__}", "tolerance": "boxes exact, scores 1e-9", "width": WIDTH,
                   "height": HEIGHT, "cases": cases}, file)
        file.write("\n")


if __name__ == "__main__":
    main()
