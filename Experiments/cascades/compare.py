#!/usr/bin/env python3
"""Trains each cascade of this folder with three seeds, measures it, and prints the table of README.md.

Usage: compare.py [--programs DIR] [--work DIR] [--seeds 1,2,3] [VARIANT ...]

Models that are there already are measured, not trained again. Needs DATASETS_DIR (WIDER FACE, face-free, INRIA) and the set
opencv-faces (`windhover-data fetch opencv-faces`). A table's column is the mean over the seeds, with the least and the greatest.
AP is on `wider/validation` and `face-free/validation` after one fitted offset and scale; the miss rate on every tenth sample of
opencv-faces, which are kept from training, and 1,000,000 windows of face-free/validation; a photo's time is the processor's, decoding
included, with one thread.
"""
import argparse, json, os, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(here, "../../Benchmarks/peers"))
from compare_cascade_training import cached, split_samples  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--programs", default=os.path.join(here, "../../.build/release"))
parser.add_argument("--work", default=os.path.join(here, "../../out/cascades"))
parser.add_argument("--seeds", default="1,2,3")
parser.add_argument("variants", nargs="*")
options = parser.parse_args()
os.makedirs(options.work, exist_ok=True)
variants = options.variants or sorted(
    name for name in os.listdir(here) if os.path.exists(os.path.join(here, name, "config.json")))


def program(name, *arguments):
    command = [os.path.join(options.programs, name), *arguments]
    begin = os.times()
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{run.stderr}")
    end = os.times()
    return run.stdout, (end.children_user + end.children_system) - (begin.children_user + begin.children_system)


def text(values, digits):
    if any(value is None for value in values):
        return "-"
    mean = sum(values) / len(values)
    return f"{mean:.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


train, held = (os.path.join(os.path.abspath(options.work), name) for name in ("train.vec", "held.vec"))
split_samples(cached("opencv-faces", "vec", "trainingfaces_24-24.vec"), train, held)
photos = sorted(
    os.path.join(root, name) for root, _, names in os.walk(os.path.join(os.environ["DATASETS_DIR"], "face-free"))
    for name in names if name.endswith(".jpg"))[::40]

print("| cascade | AP | miss rate at 1e-3 | trees a window | trees | model, KB | photo, ms | training, CPU s |")
print("|---|---:|---:|---:|---:|---:|---:|---:|")
for variant in variants:
    config = json.load(open(os.path.join(here, variant, "config.json")))
    evaluation = config["boxes"][0]
    rows = []
    for seed in options.seeds.split(","):
        stem = os.path.join(options.work, f"{variant}-{seed}")
        model = stem + ".safetensors"
        if not os.path.exists(model):
            job = stem + ".json"
            with open(job, "w") as file:
                json.dump(config["train"] | {"positives": [f"vec:{train}"]}, file)
            _, seconds = program("windhover-train", "cascade", "--config", job, "--seed", seed, "-o", model,
                                 "--report", stem + ".report.json")
            with open(stem + ".seconds", "w") as file:
                file.write(str(seconds))
        report = json.load(open(stem + ".report.json"))
        program("windhover-evaluate", "stages", "-m", model, "-p", f"vec:{held}", "-n", "face-free/validation",
                "--windows", "1000000", "--json", stem + ".stages.json")
        stages = json.load(open(stem + ".stages.json"))
        program("windhover-evaluate", "run", "--model", model, "--truth", "wider/validation", "--truth",
                "face-free/validation", "--targets", evaluation["data"][0]["targets"], "--fit-boxes", "--threshold",
                "-1000", "--resamples", "0", "--json", stem + ".boxes.json", "--gallery", "0")
        boxes = json.load(open(stem + ".boxes.json"))
        _, scan = program("windhover-detect", "objects", "--json", "--threads", "1", "--model", model, *photos)
        rows.append({
            "ap": boxes["results"][0]["fitted"]["average_precision"]["value"],
            "miss": next((p.get("missRate") for p in stages["points"] if abs(p["falseAlarmRate"] - 1e-3) < 1e-9), None),
            "features": stages["treesPerWindow"], "trees": sum(stage["trees"] for stage in report["stages"]),
            "kilobytes": os.path.getsize(model) / 1000, "seconds": float(open(stem + ".seconds").read()),
            "scan": 1000 * scan / len(photos),
        })
    column = lambda key, digits: text([row[key] for row in rows], digits)
    print(f"| {variant} | {column('ap', 3)} | {column('miss', 3)} | {column('features', 2)} | {column('trees', 0)} | "
          f"{column('kilobytes', 0)} | {column('scan', 1)} | {column('seconds', 0)} |", flush=True)
