#!/usr/bin/env python3
"""Makes grey scenes with small faces for choosing face cascades: faces of 300w/validation on photos of face-free/validation.

    windhover-evaluate run --model face-lbp --threshold 1e6 --truth face-free/validation --results backgrounds.jsonl
    python3 Experiments/faces/composites.py $DATASETS_DIR backgrounds.jsonl out/composites
    windhover-evaluate run --model face-haar --truth "info:out/composites/info.txt?label=face" --fit-boxes

The first command is there for its list of the split's photos alone. Each photo of 200 pixels and more gets up to three faces, whose
eyes and mouth lie upright and near their middle (frontal), 18 to 70 pixels wide by the rule of `300w/validation?box=eyes`; one with
its whole head and hair, feathered into the scene. Then the scene is grey, and as a draw says blurred, made darker or paler, noisy and
stored as a poor JPEG, like old prints. Needs opencv-python-headless 4 and numpy. The same data give the same scenes.
"""
import argparse
import json
import math
import os
import random

import cv2
import numpy


def points(path):
    with open(path) as file:
        lines = file.read().split("{")[1].split("}")[0].split("\n")
    return numpy.array([[float(v) for v in line.split()] for line in lines if line.strip()]) - 0.5


def face(folder, name):
    """The crop and its eyes box (x, y, side), or None where the face is turned."""
    stem = os.path.join(folder, "300w/train", os.path.splitext(name)[0])
    mark = points(stem + ".pts")
    left, right, mouth = mark[36:42].mean(0), mark[42:48].mean(0), mark[[48, 54]].mean(0)
    eyes = (left + right) / 2
    roll = math.degrees(math.atan2(right[1] - left[1], right[0] - left[0]))
    nose = (mark[30] - left) @ (right - left) / ((right - left) @ (right - left))
    if abs(roll) > 15 or not 0.3 < nose < 0.7:
        return None
    side = math.sqrt((((right - left) ** 2).sum() + ((mouth - eyes) ** 2).sum()) / (0.37 ** 2 + 0.377 ** 2))
    down = (mouth - eyes) / numpy.linalg.norm(mouth - eyes)
    centre = (eyes + mouth) / 2 - 0.0285 * side * down
    image = cv2.imread(stem + ".jpg", cv2.IMREAD_GRAYSCALE)
    return image, centre[0] - side / 2, centre[1] - side / 2, side


def paste(scene, crop, left, top, side, wanted, draw):
    """Lays a crop whose box is `wanted` wide on the scene; returns the box, or None where it does not fit."""
    scale = wanted / side
    # A head and what is close about it, as far as the crop goes.
    x0, y0 = max(0, int(left - 0.42 * side)), max(0, int(top - 0.5 * side))
    x1, y1 = min(crop.shape[1], int(left + 1.42 * side)), min(crop.shape[0], int(top + 1.35 * side))
    size = (round((x1 - x0) * scale), round((y1 - y0) * scale))
    if size[0] + 2 > scene.shape[1] or size[1] + 2 > scene.shape[0]:
        return None
    patch = cv2.resize(crop[y0:y1, x0:x1], size, interpolation=cv2.INTER_AREA).astype(numpy.float32)
    ys, xs = numpy.mgrid[0:size[1], 0:size[0]]
    distance = numpy.hypot((xs + 0.5) / size[0] * 2 - 1, (ys + 0.5) / size[1] * 2 - 1)
    weight = numpy.clip((1.12 - distance) / 0.14, 0, 1)
    x, y = draw.randint(0, scene.shape[1] - size[0]), draw.randint(0, scene.shape[0] - size[1])
    place = scene[y:y + size[1], x:x + size[0]]
    place[:] = weight * patch + (1 - weight) * place
    return x + (left - x0) * size[0] / (x1 - x0), y + (top - y0) * size[1] / (y1 - y0), wanted


def degrade(scene, draw, noise):
    sigma = draw.choice([0, 0, 0.5, 0.8])
    if sigma:
        scene = cv2.GaussianBlur(scene, (0, 0), sigma)
    contrast = draw.uniform(0.6, 1.1)
    scene = (scene - 128) * contrast + 128 + draw.uniform(-20, 20)
    scene = scene + noise.normal(0, draw.choice([0, 3, 6, 9]), scene.shape)
    return numpy.clip(scene, 0, 255).astype(numpy.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", help="the folder of DATASETS_DIR")
    parser.add_argument("backgrounds", help="results on face-free/validation")
    parser.add_argument("output", help="a new folder")
    parser.add_argument("--seed", type=int, default=1, help="other scenes for another number (1)")
    options = parser.parse_args()
    os.makedirs(options.output)
    draw, noise = random.Random(options.seed), numpy.random.default_rng(options.seed)
    with open(os.path.join(options.data, "300w/splits/validation.txt")) as file:
        faces = [found for found in (face(options.data, name.strip()) for name in file if name.strip()) if found]
    with open(options.backgrounds) as file:
        names = [json.loads(line)["image"] for line in file]
    lines, order, count = [], [], 0
    for number, name in enumerate(names):
        scene = cv2.imread(os.path.join(options.data, "face-free", name), cv2.IMREAD_GRAYSCALE).astype(numpy.float32)
        if min(scene.shape) < 200:
            continue
        boxes = []
        for _ in range(3):
            if not order:
                order = draw.sample(range(len(faces)), len(faces))
            crop, left, top, side = faces[order.pop()]
            if draw.random() < 0.5:
                crop, left = cv2.flip(crop, 1), crop.shape[1] - left - side
            trial = scene.copy()
            box = paste(trial, crop, left, top, side, math.exp(draw.uniform(math.log(18), math.log(70))), draw)
            if box and all(abs(box[0] + box[2] / 2 - b[0] - b[2] / 2) > 1.1 * (box[2] + b[2])
                           or abs(box[1] + box[2] / 2 - b[1] - b[2] / 2) > 1.1 * (box[2] + b[2]) for b in boxes):
                scene = trial
                boxes.append(box)
        file = f"scene-{number:03d}.jpg"
        cv2.imwrite(os.path.join(options.output, file), degrade(scene, draw, noise),
                    [cv2.IMWRITE_JPEG_QUALITY, draw.randint(35, 90)])
        count += len(boxes)
        lines.append(f"{file} {len(boxes)} " + " ".join(
            f"{round(b[0])} {round(b[1])} {round(b[2])} {round(b[2])}" for b in boxes))
    with open(os.path.join(options.output, "info.txt"), "w") as file:
        file.write("\n".join(lines) + "\n")
    print(f"{len(lines)} scenes, {count} faces of {len(faces)} persons' pictures")


if __name__ == "__main__":
    main()
