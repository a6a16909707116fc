#!/usr/bin/env python3
"""Trains cascades of the same samples by opencv_traincascade and by Windhover, in turn, and measures both.

    python3 Benchmarks/peers/compare_cascade_training.py [--opencv PROGRAM] [--only lbp|haar] [--haar-stages N] [--work DIR]

Positives are OpenCV's trainingfaces_24-24.vec (`windhover-data fetch opencv-faces` brings it), of which every tenth sample is kept for
validation; negatives the photos of INRIA Train/neg, and for validation face-free/validation (both under DATASETS_DIR). 24 x 24,
hit rate 0.995, false alarms 0.5, gentle AdaBoost, stumps, 100 at most; 3000 + 3000 samples a stage; 12 stages of local binary patterns, and
--haar-stages (3) of Haar BASIC, since OpenCV takes hours for more: compare as many as there is time for. OpenCV has buffers of 2048 +
2048 MB, and both as many threads as --threads says (2).

Ours runs before and after OpenCV's, the second time with the seed 2, and the slower of the two is compared; both cascades are measured, since
one seed's miss rate alone says little. Each side runs in a process of its own that also reads its data;
processor seconds (user and system) and the greatest resident memory are the kernel's account of that process. Both write OpenCV's XML, and
windhover-evaluate stages measures both on the held-out samples and on the same windows. The miss rates at equal false alarms are those at the
final rate of the cascade that lets more pass; the other's is interpolated between its stages.

opencv_traincascade is no part of OpenCV 4: build it from OpenCV 3.4 (-DBUILD_opencv_apps=ON). Where it, the samples or the photos are not
there, that is said and nothing is measured (exit status 1). Writes WORK/cascade-training.json and prints it.
"""
import argparse
import json
import math
import os
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


def at_equal_alarms(ours, theirs):
    """Both miss rates at the false alarms of the cascade that lets more pass at its end."""
    rate = max(ours["stages"][-1]["falseAlarmRate"], theirs["stages"][-1]["falseAlarmRate"])
    return {"false_alarms": rate, "ours": missed_at(ours["stages"], rate), "opencv": missed_at(theirs["stages"], rate)}


def compare(kind, stages, options, folder):
    """One kind of feature: both trainings in turn, and both cascades measured."""
    work = os.path.join(options.work, kind)
    seeds = (1, 2)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(os.path.join(work, "opencv"))
    train, held, photos, listing = folder
    count = str(options.samples)
    ours = [os.path.join(options.programs, "windhover-train"), "cascade", "-p", f"vec:{train}", "-n", f"folder:{photos}",
            "--features", {"lbp": "lbp", "haar": "haar-basic"}[kind], "--stages", str(stages), "--samples", f"{count},{count}",
            "--hit-rate", "0.995", "--false-alarm", "0.5", "--window", f"{SIDE}x{SIDE}", "--goal", "0", "--copies", "0",
            "--threads", str(options.threads), "--memory", "4096", "--restart"]
    ours_xml = [os.path.join(work, f"ours-{seed}.xml") for seed in seeds]
    theirs = [options.opencv, "-data", os.path.join(work, "opencv"), "-vec", train, "-bg", listing, "-numPos", count,
              "-numNeg", count, "-numStages", str(stages), "-w", str(SIDE), "-h", str(SIDE), "-featureType",
              {"lbp": "LBP", "haar": "HAAR"}[kind], "-bt", "GAB", "-maxDepth", "1", "-maxWeakCount", "100", "-minHitRate", "0.995",
              "-maxFalseAlarmRate", "0.5", "-precalcValBufSize", "2048", "-precalcIdxBufSize", "2048",
              "-numThreads", str(options.threads)] + (["-mode", "BASIC"] if kind == "haar" else [])
    runs = []
    first, second = ([*ours, "--seed", str(seed), "-o", path] for seed, path in zip(seeds, ours_xml))
    for name, command in [("ours", first), ("opencv", theirs), ("ours", second)]:
        figures = measured(command, os.path.join(work, f"{name}{len(runs)}.log"))
        print(f"{kind}, {stages} stages, {name}: {figures}", file=sys.stderr)
        runs.append(figures)
    slower = max(runs[0]["processor_seconds"], runs[2]["processor_seconds"])
    clock = max(runs[0]["seconds"], runs[2]["seconds"])
    own = [validation(options, path, held, work) for path in ours_xml]
    other = validation(options, os.path.join(work, "opencv", "cascade.xml"), held, work)
    return {
        "stages": stages, "samples": options.samples, "ours": [runs[0], runs[2]], "opencv": runs[1],
        "processor_ratio": runs[1]["processor_seconds"] / slower, "clock_ratio": runs[1]["seconds"] / clock,
        "memory_ratio": runs[1]["memory_mb"] / max(runs[0]["memory_mb"], runs[2]["memory_mb"]),
        "at_equal_false_alarms": [at_equal_alarms(one, other) for one in own],
        "validation": {"positives": other["positives"], "windows": other["windows"], "ours": [one["stages"] for one in own],
                       "opencv": other["stages"],
                       "trees_a_window": {"ours": [one["treesPerWindow"] for one in own], "opencv": other["treesPerWindow"]}},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opencv", default="opencv_traincascade", help="the program, by name or path")
    parser.add_argument("--programs", default=os.path.join(HERE, "../../.build/release"), help="where windhover-train is")
    parser.add_argument("--vec", default=cached("opencv-faces", "vec", "trainingfaces_24-24.vec"))
    parser.add_argument("--only", choices=["lbp", "haar"])
    parser.add_argument("--lbp-stages", type=int, default=12)
    parser.add_argument("--haar-stages", type=int, default=3)
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
    train, held, listing = (os.path.join(options.work, name) for name in ("train.vec", "held.vec", "negatives.txt"))
    trained, kept = split_samples(options.vec, train, held)
    with open(listing, "w") as file:
        for name in sorted(os.listdir(photos)):
            file.write(os.path.join(os.path.abspath(photos), name) + "\n")
    figures = {"faces": trained, "held_out": kept, "threads": options.threads}
    for kind, stages in [("lbp", options.lbp_stages), ("haar", options.haar_stages)]:
        if options.only in (None, kind):
            figures[kind] = compare(kind, stages, options, (train, held, photos, listing))
    figures["load_average"] = os.getloadavg()
    with open(os.path.join(options.work, "cascade-training.json"), "w") as file:
        json.dump(figures, file, indent=2)
        file.write("\n")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
