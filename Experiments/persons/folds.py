"""How hard the held-out windows are: a detector over all folds, and on windows that it has seen.

    python3 Experiments/persons/folds.py .build/release/windhover-experiment [FOLDER [VARIANT]]   (DATASETS_DIR as for every experiment)

Trains VARIANT, a folder beside this file (default `hog`), with its own options six times: without each fifth of the photos of INRIA Person's windows (fold 5 is the held-out
fifth of all other figures), each scored on the fifth that it has not seen, and once on all windows and all photos without persons,
scored on windows that it has seen, as OpenCV's people detector is in opencv_people.py. Negatives are the held-out photos
throughout; the test photos are not touched. Keeps its runs in FOLDER (default out/folds) and goes on from them. Standard errors of
all folds are from the spread of the folds' shares.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RATES = (1e-5, 1e-4, 1e-3)
SCANS = {"own scan": None, "2005 scan": {"padding": 0, "scaleFactor": 1.2}}


def windows(rule=""):
    root = os.path.join(os.environ["DATASETS_DIR"], "inria")
    return f"inria:{root}?part=96X160H96/Train/pos{rule}"


def configuration(variant, learnt, negatives, scored):
    """The recorded one with other data; `scored` maps names to windows."""
    with open(os.path.join(HERE, variant, "config.json")) as file:
        recorded = json.load(file)
    box = recorded["train"]["positives"][0]["box"]
    train = {**recorded["train"], "positives": [{"data": learnt, "box": box}], "negatives": negatives}
    train.pop("calibration")
    evaluations = []
    for name, data in scored.items():
        for scan, options in SCANS.items():
            entry = {"name": f"{name}-{scan.split()[0]}", "positives": [{"data": data, "box": box}],
                     "negatives": ["inria/validation-negatives"]}
            evaluations.append({**entry, "scan": options} if options else entry)
    return {"title": "Folds", "purpose": "See Experiments/persons/folds.py.", "train": train, "windows": evaluations}


def run(program, folder, config):
    """Scores of each evaluation: of the windows, of the false positives, and how many windows were scanned."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "config.json")
    stored = json.load(open(path)) if os.path.exists(path) else None
    if stored != config or not os.path.exists(os.path.join(folder, "out", "result.json")):
        with open(path, "w") as file:
            json.dump(config, file, indent=2)
        subprocess.run([program, "run", folder, "--output", os.path.join(folder, "out")], check=True, stdout=subprocess.DEVNULL)
    found = {}
    for evaluation in config["windows"]:
        with open(os.path.join(folder, "out", evaluation["name"] + ".scores.json")) as file:
            found[evaluation["name"]] = json.load(file)
    return found


def missed(scores, rate):
    """How many windows score no more than the first false positive that is one too many."""
    allowed = int(rate * scores["negativeWindowCount"] * (1 + 1e-12))
    limit = sorted(scores["negativeScores"], reverse=True)[allowed]
    return sum(score <= limit for score in scores["positiveScores"])


def line(title, parts):
    count = sum(len(scores["positiveScores"]) for scores in parts)
    cells = []
    for rate in RATES:
        misses = [(missed(scores, rate), len(scores["positiveScores"])) for scores in parts]
        share = sum(number for number, _ in misses) / count
        cell = f"{share:.3f}"
        if len(parts) > 1:
            spread = sum((number - share * size) ** 2 for number, size in misses) * len(parts) / (len(parts) - 1)
            cell += f" ({spread ** 0.5 / count:.3f})"
        cells.append(cell)
    print(f"| {title} | {count} | {' | '.join(cells)} |", flush=True)


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    program, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "out/folds"
    variant = sys.argv[3] if len(sys.argv) > 3 else "hog"
    print("| windows | count | 1e-5 | 1e-4 | 1e-3 |\n|---|---|---|---|---|")
    folds = []
    for fold in range(1, 6):
        config = configuration(
            variant, windows(f"&leave={fold}/5"), ["inria/train-negatives"], {"fold": windows(f"&keep={fold}/5")})
        folds.append(run(program, os.path.join(folder, f"fold{fold}"), config))
        line(f"fold {fold}, not seen, own scan", [folds[-1]["fold-own"]])
        line(f"fold {fold}, not seen, 2005 scan", [folds[-1]["fold-2005"]])
    for scan in ("own", "2005"):
        line(f"all, none of them seen, {scan} scan", [fold[f"fold-{scan}"] for fold in folds])
    seen = run(program, os.path.join(folder, "seen"), configuration(
        variant, windows(), ["inria/train-negatives", "inria/validation-negatives"],
        {"train": windows("&leave=5/5"), "held-out": windows("&keep=5/5")}))
    for name, scores in seen.items():
        line(f"{name} scan, all windows and photos seen", [scores])


if __name__ == "__main__":
    main()
