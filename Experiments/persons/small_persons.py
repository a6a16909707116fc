"""What looking for smaller persons costs and brings: the shipped person model at several --min-size.

    python3 Experiments/persons/small_persons.py BUILD      (BUILD: the folder of the programs; DATASETS_DIR as usual; Pillow)

On the held-out parts of INRIA Person: false alarms a photo and time a photo (one thread, reading included) on
inria/validation-negatives, and how many persons of the held-out windows are found, as they are (96 pixels high) and with
the windows shrunk to half (48 pixels). A person is found where a detection overlaps its usual box by half.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

from PIL import Image

PROGRAM = os.path.join(sys.argv[1], "windhover-detect")
WINDOWS = os.path.join(os.environ["DATASETS_DIR"], "inria/96X160H96/Train/pos")


def detect(data, *options):
    start = time.time()
    run = subprocess.run(
        [PROGRAM, "objects", "-m", "person", "--json", "--threads", "1", *options, data],
        capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()], time.time() - start


def overlap(a, b):
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    shared = max(0, width) * max(0, height)
    return shared / (a[2] * a[3] + b[2] * b[3] - shared)


def found(results, height):
    """The share of windows (of 96 x 160 at a height of 96) whose person is found."""
    hits = 0
    for result in results:
        middle = (result["width"] / 2, result["height"] / 2)
        person = [middle[0] - 0.205 * height, middle[1] - height / 2, 0.41 * height, height]
        hits += any(overlap(found["box"], person) >= 0.5 for found in result["detections"])
    return hits / len(results)


with tempfile.TemporaryDirectory() as half:
    for result in detect("inria/validation-windows")[0]:
        name = os.path.basename(result["image"])
        image = Image.open(os.path.join(WINDOWS, name)).convert("RGB")
        image.resize((image.width // 2, image.height // 2), Image.BOX).save(f"{half}/{os.path.splitext(name)[0]}.png")
    print("| --min-size | alarms a photo | of 48 pixels found | of 96 pixels found | seconds a photo |")
    for size in (None, 72, 64, 48):
        options = [] if size is None else ["--min-size", str(size)]
        photos, seconds = detect("inria/validation-negatives", *options)
        alarms = sum(len(photo["detections"]) for photo in photos) / len(photos)
        small = found(detect(half, *options)[0], 48)
        usual = found(detect("inria/validation-windows", *options)[0], 96)
        print(f"| {size or 'none'} | {alarms:.2f} | {small:.3f} | {usual:.3f} | {seconds / len(photos):.3f} |")
