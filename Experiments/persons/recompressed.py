"""HOG and HOG in colour on windows, and on photos without persons, that went through one compression.

    python3 Experiments/persons/recompressed.py .build/release/windhover-experiment [FOLDER]
    (DATASETS_DIR as for every experiment; Pillow and numpy)

The windows at hand are compressed less than the photos, and all at the same place of the compression's blocks. A detector could learn
that. Here each window is moved by up to a pixel and scaled by up to 4 %, so that it is interpolated, and compressed again with the
photos' own tables at a random place of their blocks of 16 x 16 pixels. `hog` and `hog-colour` are trained on four fifths of these windows
and scored on the last, against the held-out photos: as these are, so that the windows are worse than the photos, and then with all photos
moved, scaled and compressed like the windows, so that both went through the same. FOLDER (default out/recompressed) keeps the pictures and
the runs.
"""

import glob
import io
import os
import shutil
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


def recompress(source, target, tables, seed):
    os.makedirs(target)
    random = numpy.random.default_rng(seed)
    for path in sorted(glob.glob(os.path.join(source, "*"))):
        name = os.path.splitext(os.path.basename(path))[0]
        image = recompressed(Image.open(path).convert("RGB"), tables, random)
        # Written without further loss.
        image.save(os.path.join(target, name + ".png"), compress_level=1)


def copy(source, target, photos):
    """The data set in `source`, its windows recompressed, in `target`; its photos without persons, too, or links to them."""
    negatives = os.path.join(source, "Train", "neg")
    tables = Image.open(sorted(glob.glob(negatives + "/*"))[0]).quantization
    part = "96X160H96/Train/pos"
    recompress(os.path.join(source, part), os.path.join(target, part), tables, 1)
    copied = os.path.join(target, "Train", "neg")
    if photos:
        recompress(negatives, copied, tables, 2)
    else:
        os.makedirs(os.path.dirname(copied))
        os.symlink(os.path.abspath(negatives), copied)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "out/recompressed"
    source = os.path.join(os.environ["DATASETS_DIR"], "inria")
    print("| compressed like photos | windows | 1e-5 | 1e-4 | 1e-3 |\n|---|---|---|---|---|")
    for photos, what in ((False, "windows"), (True, "windows and photos")):
        place = os.path.join(folder, what.replace(" ", "-"))
        data = os.path.join(place, "data")
        if not os.path.exists(data):
            # A run that is stopped meanwhile leaves no half of it under its name.
            shutil.rmtree(data + ".new", ignore_errors=True)
            copy(source, os.path.join(data + ".new", "inria"), photos)
            os.rename(data + ".new", data)
        os.environ["DATASETS_DIR"] = os.path.abspath(data)
        for variant in ("hog", "hog-colour"):
            config = folds.configuration(
                variant, folds.windows("&leave=5/5"), ["inria/train-negatives"], {"fold": folds.windows("&keep=5/5")})
            scores = folds.run(program, os.path.join(place, variant), config)
            folds.line(f"{what}: `{variant}`, own scan", [scores["fold-own"]])
            folds.line(f"{what}: `{variant}`, 2005 scan", [scores["fold-2005"]])


if __name__ == "__main__":
    main()
