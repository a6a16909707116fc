"""HOG and HOG in colour on windows that went through the same compression as the photos without persons.

    python3 Experiments/persons/recompressed.py .build/release/windhover-experiment [FOLDER]
    (DATASETS_DIR as for every experiment; Pillow and numpy)

The windows at hand are compressed less than the photos, and all at the same place of the compression's blocks. A detector could learn
that. Here each window is moved by up to a pixel and scaled by up to 4 %, so that it is interpolated, and compressed again with the
photos' own tables at a random place of their blocks of 16 x 16 pixels. `hog` and `hog-colour` are trained on four fifths of these windows
and scored on the last, against the held-out photos. FOLDER (default out/recompressed) keeps the windows, links to the photos, and the runs.
"""

import glob
import io
import os
import sys

import folds
import numpy
from PIL import Image

MARGIN = 16


def recompressed(image, tables, random):
    scale = numpy.exp(random.uniform(-0.04, 0.04))
    left, top = MARGIN + random.integers(0, 16, 2)
    pixels = numpy.pad(numpy.asarray(image), ((MARGIN, MARGIN), (MARGIN, MARGIN), (0, 0)), mode="edge")
    middle = numpy.array([pixels.shape[1], pixels.shape[0]]) / 2
    target = numpy.array([left + image.width / 2, top + image.height / 2]) + random.uniform(-1, 1, 2)
    offset = middle - scale * target
    size = (pixels.shape[1] + 16, pixels.shape[0] + 16)
    moved = Image.fromarray(pixels).transform(
        size, Image.Transform.AFFINE, (scale, 0, offset[0], 0, scale, offset[1]), resample=Image.Resampling.BILINEAR)
    file = io.BytesIO()
    moved.save(file, "JPEG", qtables=tables, subsampling="4:2:0")
    box = (left, top, left + image.width, top + image.height)
    return Image.open(file).convert("RGB").crop(tuple(int(side) for side in box))


def copy(source, target):
    """The data set in `source`, its windows recompressed, in `target`."""
    photos = os.path.join(source, "Train", "neg")
    tables = Image.open(sorted(glob.glob(photos + "/*"))[0]).quantization
    part = "96X160H96/Train/pos"
    os.makedirs(os.path.join(target, "Train"))
    os.symlink(os.path.abspath(photos), os.path.join(target, "Train", "neg"))
    os.makedirs(os.path.join(target, part))
    random = numpy.random.default_rng(1)
    for path in sorted(glob.glob(os.path.join(source, part, "*"))):
        name = os.path.splitext(os.path.basename(path))[0]
        image = recompressed(Image.open(path).convert("RGB"), tables, random)
        # Written without further loss.
        image.save(os.path.join(target, part, name + ".png"))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "out/recompressed"
    target = os.path.join(folder, "data", "inria")
    if not os.path.exists(target):
        copy(os.path.join(os.environ["DATASETS_DIR"], "inria"), target)
    os.environ["DATASETS_DIR"] = os.path.join(os.path.abspath(folder), "data")
    print("| windows | count | 1e-5 | 1e-4 | 1e-3 |\n|---|---|---|---|---|")
    for variant in ("hog", "hog-colour"):
        config = folds.configuration(
            variant, folds.windows("&leave=5/5"), ["inria/train-negatives"], {"fold": folds.windows("&keep=5/5")})
        scores = folds.run(program, os.path.join(folder, variant), config)
        folds.line(f"`{variant}`, own scan", [scores["fold-own"]])
        folds.line(f"`{variant}`, 2005 scan", [scores["fold-2005"]])


if __name__ == "__main__":
    main()
