#!/usr/bin/env python3
"""Trains cascades of the same samples by opencv_traincascade and by Windhover, in turn, and measures both.

    python3 Benchmarks/peers/compare_cascade_training.py [--opencv PROGRAM] [--only lbp|haar] [--lbp-runs N] [--work DIR]

Positives are OpenCV's trainingfaces_24-24.vec (`windhover-data fetch opencv-faces` brings it), of which every tenth sample is kept for
validation; negatives the photos of INRIA Train/neg, and for validation face-free/validation (both under DATASETS_DIR). 24 x 24,
hit rate 0.995, false alarms 0.5, gentle AdaBoost, stumps, 100 at most; 3000 + 3000 samples a stage; 12 stages of local binary patterns, and
--haar-stages (3) of Haar BASIC, since OpenCV takes hours for more: compare as many as there is time for. OpenCV has buffers of 2048 +
2048 MB, and both as many threads as --threads says (2).

One training's miss rate says little: with the photos in another order OpenCV's own moves by a sixth. So OpenCV is run --lbp-runs (5) or
--haar-runs (1) times, with the photos in the order of their names and then shuffled, and ours before and after each of them, each time with
another seed; the means of both sides' times and miss rates are compared, and the slowest of both. Each run is a process of its own that
also reads its data; processor seconds (user and system) and the greatest resident memory are the kernel's account of that process. Both write
OpenCV's XML, and windhover-evaluate stages measures all on the held-out samples and on the same windows. Miss rates at equal false alarms are
interpolated between stages, at two rates a decade as far as all cascades reach, and at the least that all reach.

opencv_traincascade is no part of OpenCV 4: build it from OpenCV 3.4 (-DBUILD_opencv_apps=ON). Where it, the samples or the photos are not
there, that is said and nothing is measured (exit status 1). Writes WORK/cascade-training.json and prints it.
"""
import argparse
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SIDE = 24


def cached(*parts):
    cache = os.environ.get("XDG_CACHE_HOME", "")
    base = cache if cache.startswith("/") else os.path.expanduser("~/.cache")
    return os.path.join(base, "windhover", "datasets", *parts)


def split_samples(source, train, held):
    """Every tenth sample, from the first on, into one file and the others into another; how many each has."""
    with open(source, "rb") as file:
        count, values, *_ = struct.unpack("<iihh", file.read(12))
        if values != SIDE * SIDE:
            sys.exit(f"{source} has samples of {values} values, not of {SIDE} x {SIDE}")
        body = file.read()
    step = 1 + 2 * values
    count = min(count, len(body) // step)
    samples = [body[index * step:(index + 1) * step] for index in range(count)]
    parts = {held: samples[::10], train: [sample for index, sample in enumerate(samples) if index % 10]}
    for path, chosen in parts.items():
        with open(path, "wb") as file:
            file.write(struct.pack("<iihh", len(chosen), values, 0, 0) + b"".join(chosen))
    return len(parts[train]), len(parts[held])


def measured(command, log):
    """Runs a command: its processor seconds, seconds by the clock, and greatest resident memory."""
    with open(log, "w") as file:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.monotonic() - start
    if status != 0:
        sys.exit(f"{command[0]} ended with status {status}: see {log}")
    return {"processor_seconds": usage.ru_utime + usage.ru_stime, "seconds": elapsed, "memory_mb": usage.ru_maxrss / 1024}


def validation(options, cascade, held, work):
    path = os.path.join(work, "stages.json")
    subprocess.run(
        [os.path.join(options.programs, "windhover-evaluate"), "stages", "-m", cascade, "-p", f"vec:{held}", "-n",
         "face-free/validation", "--windows", str(options.windows), "--json", path], check=True, stdout=subprocess.DEVNULL)
    with open(path) as file:
        return json.load(file)


def missed_at(stages, rate):
    """The miss rate at a rate of false alarms, interpolated between stages over the logarithm of the rate."""
    before = {"falseAlarmRate": 1.0, "missRate": 0.0}
    for stage in stages:
        low, high = stage["falseAlarmRate"], before["falseAlarmRate"]
        if low <= rate:
            share = 1 if low <= 0 or low == high else math.log(high / rate) / math.log(high / low)
            return before["missRate"] + share * (stage["missRate"] - before["missRate"])
        before = stage
    return None


def mean(values):
    return sum(values) / len(values)


def at_equal_alarms(ours, theirs):
    """Miss rates of all cascades, and their means, at rates of false alarms that all reach."""
    last = max(cascade["stages"][-1]["falseAlarmRate"] for cascade in ours + theirs)
    rates = [rate for exponent in range(1, 7) for rate in (10.0 ** -exponent, 3 * 10.0 ** -(exponent + 1)) if rate > last] + [last]
    rows = []
    for rate in rates:
        row = {"false_alarms": rate}
        for name, cascades in (("ours", ours), ("opencv", theirs)):
            missed = [missed_at(cascade["stages"], rate) for cascade in cascades]
            row |= {name: mean(missed), f"{name}_each": missed}
        rows.append(row)
    return rows


def compare(kind, stages, run_count, options, folder):
    """One kind of feature: all trainings in turn, and all cascades measured."""
    work = os.path.join(options.work, kind)
    shutil.rmtree(work, ignore_errors=True)
    train, held, photos, names = folder
    count = str(options.samples)

    def ours(seed):
        path = os.path.join(work, f"ours-{seed}.xml")
        return path, [
            os.path.join(options.programs, "windhover-train"), "cascade", "-p", f"vec:{train}", "-n", f"folder:{photos}",
            "--features", {"lbp": "lbp", "haar": "haar-basic"}[kind], "--stages", str(stages), "--samples", f"{count},{count}",
            "--hit-rate", "0.995", "--false-alarm", "0.5", "--window", f"{SIDE}x{SIDE}", "--goal", "0", "--copies", "0",
            "--threads", str(options.threads), "--memory", "4096", "--restart", "--seed", str(seed), "-o", path]

    def theirs(order):
        target = os.path.join(work, f"opencv-{order}")
        os.makedirs(target)
        listing = os.path.join(target, "negatives.txt")
        shuffled = list(names)
        if order > 1:
            random.Random(order).shuffle(shuffled)
        with open(listing, "w") as file:
            file.writelines(os.path.join(os.path.abspath(photos), name) + "\n" for name in shuffled)
        return os.path.join(target, "cascade.xml"), [
            options.opencv, "-data", target, "-vec", train, "-bg", listing, "-numPos", count,
            "-numNeg", count, "-numStages", str(stages), "-w", str(SIDE), "-h", str(SIDE), "-featureType",
            {"lbp": "LBP", "haar": "HAAR"}[kind], "-bt", "GAB", "-maxDepth", "1", "-maxWeakCount", "100", "-minHitRate", "0.995",
            "-maxFalseAlarmRate", "0.5", "-precalcValBufSize", "2048", "-precalcIdxBufSize", "2048",
            "-numThreads", str(options.threads)] + (["-mode", "BASIC"] if kind == "haar" else [])

    os.makedirs(work)
    sides = {"ours": (ours, []), "opencv": (theirs, [])}
    turns = [turn for number in range(1, run_count + 1) for turn in (("ours", number), ("opencv", number))] + [("ours", run_count + 1)]
    for name, number in turns:
        command, runs = sides[name]
        path, words = command(number)
        figures = measured(words, os.path.join(work, f"{name}-{number}.log"))
        print(f"{kind}, {stages} stages, {name} {number}: {figures}", file=sys.stderr)
        runs.append(figures | {"validation": validation(options, path, held, work)})
    (_, own), (_, other) = sides["ours"], sides["opencv"]
    return {
        "stages": stages, "samples": options.samples,
        "processor_ratio": mean([run["processor_seconds"] for run in other]) / mean([run["processor_seconds"] for run in own]),
        "processor_ratio_of_slowest": max(run["processor_seconds"] for run in other) / max(run["processor_seconds"] for run in own),
        "clock_ratio": mean([run["seconds"] for run in other]) / mean([run["seconds"] for run in own]),
        "memory_ratio": max(run["memory_mb"] for run in other) / max(run["memory_mb"] for run in own),
        "at_equal_false_alarms": at_equal_alarms([run["validation"] for run in own], [run["validation"] for run in other]),
        "ours": own, "opencv": other,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opencv", default="opencv_traincascade", help="the program, by name or path")
    parser.add_argument("--programs", default=os.path.join(HERE, "../../.build/release"), help="where windhover-train is")
    parser.add_argument("--vec", default=cached("opencv-faces", "vec", "trainingfaces_24-24.vec"))
    parser.add_argument("--only", choices=["lbp", "haar"])
    parser.add_argument("--lbp-stages", type=int, default=12)
    parser.add_argument("--haar-stages", type=int, default=3)
    parser.add_argument("--lbp-runs", type=int, default=5, help="trainings by OpenCV; ours has one more")
    parser.add_argument("--haar-runs", type=int, default=1)
    parser.add_argument("--samples", type=int, default=3000, help="positives a stage, and negatives")
    parser.add_argument("--windows", type=int, default=2_000_000, help="validation windows")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", default="out/cascade-training")
    options = parser.parse_args()
    root = os.environ.get("DATASETS_DIR", "")
    photos = os.path.join(root, "inria", "Train", "neg")
    reasons = []
    if shutil.which(options.opencv) is None:
        reasons.append(f"{options.opencv} is not there (build OpenCV 3.4 with -DBUILD_opencv_apps=ON and give --opencv)")
    if not os.path.isfile(options.vec):
        reasons.append(f"{options.vec} is not there (windhover-data fetch opencv-faces, or --vec FILE)")
    for folder in (photos, os.path.join(root, "face-free")):
        if not os.path.isdir(folder):
            reasons.append(f"{folder} is not there (DATASETS_DIR names the folder of the data sets)")
    if not os.access(os.path.join(options.programs, "windhover-train"), os.X_OK):
        reasons.append(f"{options.programs} has no windhover-train (make build)")
    if reasons:
        sys.exit("\n  ".join(["cascade training: not measured:", *reasons]))
    os.makedirs(options.work, exist_ok=True)
    options.work = os.path.abspath(options.work)
    train, held = (os.path.join(options.work, name) for name in ("train.vec", "held.vec"))
    trained, kept = split_samples(options.vec, train, held)
    figures = {"faces": trained, "held_out": kept, "threads": options.threads}
    folder = (train, held, photos, sorted(os.listdir(photos)))
    for kind, stages, runs in [("lbp", options.lbp_stages, options.lbp_runs), ("haar", options.haar_stages, options.haar_runs)]:
        if options.only in (None, kind):
            figures[kind] = compare(kind, stages, runs, options, folder)
    figures["load_average"] = os.getloadavg()
    with open(os.path.join(options.work, "cascade-training.json"), "w") as file:
        json.dump(figures, file, indent=2)
        file.write("\n")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
