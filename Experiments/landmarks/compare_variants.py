#!/usr/bin/env python3
"""Compares options of the landmark trainer on held-out training faces of 300-W, by the programs.

    make build
    DATASETS_DIR=... python3 Experiments/landmarks/compare_variants.py [--folds 0,1,2,3] [--draws N] [--work DIR] NAME...

The 2012 faces of 300w/train and 300w/validation are parted into four folds by photo (AFW and HELEN photos may show several
faces). For each fold and each NAME of variants.json (options that take the place of the preset's) a fitter is trained on the
other three folds, mirrored, and measured on the fold; boxes are those of the shipped face detector, found once. The first
NAME is what the others are compared with: the mean of the differences of single faces' errors, and its standard error.
`moved` is the growth of the mean error with boxes moved by 10 %, in the mean of N draws a face and of the folds, and the
standard deviation of single draws about their fold's mean. The test faces are not touched.
A model or measurement that is in DIR already is not made again: delete DIR after a change of the library.
"""
import argparse
import json
import os
import random
import re
import statistics
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def write_folds(data, work):
    names = []
    for split in ("train", "validation"):
        with open(os.path.join(data, "300w/splits", split + ".txt")) as file:
            names += file.read().split()
    photos = {}
    for name in names:
        # LFPW's numbers are photos; elsewhere the last number is a face of the photo.
        photos.setdefault(name if name.startswith("lfpw") else re.sub(r"_\d+\.jpg$", "", name), []).append(name)
    keys = sorted(photos)
    random.Random(5).shuffle(keys)
    for fold in range(4):
        for kind in ("held", "train"):
            chosen = [n for i, key in enumerate(keys) if (i % 4 == fold) == (kind == "held") for n in photos[key]]
            with open(os.path.join(work, f"{kind}{fold}.txt"), "w") as file:
                file.write("\n".join(sorted(chosen)) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", default="0,1,2,3")
    parser.add_argument("--draws", type=int, default=10, help="draws of each moved box")
    parser.add_argument("--work", default="landmark-variants")
    parser.add_argument("--programs", default=os.path.join(ROOT, ".build/release"))
    parser.add_argument("names", nargs="+", metavar="NAME")
    options = parser.parse_args()
    data, work = os.environ["DATASETS_DIR"], os.path.abspath(options.work)
    with open(os.path.join(HERE, "variants.json")) as file:
        variants = json.load(file)
    os.makedirs(work, exist_ok=True)
    write_folds(data, work)
    photos, boxes = f"ibug:{data}/300w/train", os.path.join(work, "boxes.jsonl")
    if not os.path.exists(boxes):
        subprocess.run([f"{options.programs}/windhover-detect", "objects", "--json", photos, "-o", boxes], check=True)
    folds = options.folds.split(",")
    errors = {}
    for name in options.names:
        errors[name], corners, grown, deviations = {}, [], [], []
        for fold in folds:
            model = os.path.join(work, f"{name}.{fold}.safetensors")
            result = os.path.join(work, f"{name}.{fold}.{options.draws}.json")
            if not os.path.exists(model):
                settings = [f"--set={key}={value if isinstance(value, str) else json.dumps(value)}"
                            for key, value in variants[name].items()]
                subprocess.run(
                    [f"{options.programs}/windhover-train", "landmarks", "-d", f"{photos}?split={work}/train{fold}.txt",
                     "--boxes", boxes, "--mirror", *settings, "-o", model], check=True)
            if not os.path.exists(result):
                with open(result + ".new", "w") as file:
                    subprocess.run(
                        [f"{options.programs}/windhover-evaluate", "landmarks", model, "-d",
                         f"{photos}?split={work}/held{fold}.txt", "--boxes", boxes, "--perturb", "0.1",
                         "--draws", str(options.draws), "--json"],
                        check=True, stdout=file)
                os.rename(result + ".new", result)
            with open(result) as file:
                report = json.load(file)
            errors[name].update({face["face"]: 100 * face["error"] for face in report["measures"][0]["errors"]})
            corners += [100 * face["error"] for face in report["measures"][1]["errors"]]
            grown.append(report["perturbations"][0]["growth"])
            deviations.append(report["perturbations"][0]["growthDeviation"])
        own = errors[name]
        differences = [own[face] - errors[options.names[0]][face] for face in own]
        spread = statistics.stdev(differences) / len(differences) ** 0.5
        known = [d for d in deviations if d is not None]
        deviation = f" (+- {100 * statistics.mean(known):.1f} a draw)" if known else ""
        print(
            f"{name}: {len(own)} faces, pupils {statistics.mean(own.values()):.3f} %, outer corners "
            f"{statistics.mean(corners):.3f} %, failed {100 * sum(e > 8 for e in own.values()) / len(own):.2f} %, moved "
            f"{100 * statistics.mean(grown):+.1f} %{deviation}, against {options.names[0]} {statistics.mean(differences):+.3f} "
            f"+- {spread:.3f}", flush=True)


if __name__ == "__main__":
    main()
