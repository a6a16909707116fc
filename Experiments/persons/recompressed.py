"""A copy of INRIA Person whose windows went through the same compression as the photos without persons.

    python3 Experiments/persons/recompressed.py FOLDER        (DATASETS_DIR as for every experiment; Pillow, numpy)
    DATASETS_DIR=FOLDER python3 Experiments/persons/folds.py .build/release/windhover-experiment out/recompressed hog-colour

The windows at hand are compressed less than the photos, and all at the same place of the compression's blocks. A detector could learn
that. Here each window is moved by up to a pixel and scaled by up to 4 %, so that it is interpolated, and compressed again with the
photos' own tables at a random place of their blocks of 16 x 16 pixels. The photos are links.
"""

import glob
import io
import os
import sys

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


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source, target = os.path.join(os.environ["DATASETS_DIR"], "inria"), os.path.join(sys.argv[1], "inria")
    photos = os.path.join(source, "Train", "neg")
    tables = Image.open(sorted(glob.glob(photos + "/*"))[0]).quantization
    os.makedirs(os.path.join(target, "Train"), exist_ok=True)
    if not os.path.exists(os.path.join(target, "Train", "neg")):
        os.symlink(os.path.abspath(photos), os.path.join(target, "Train", "neg"))
    part = "96X160H96/Train/pos"
    os.makedirs(os.path.join(target, part), exist_ok=True)
    random = numpy.random.default_rng(1)
    for path in sorted(glob.glob(os.path.join(source, part, "*"))):
        name = os.path.splitext(os.path.basename(path))[0]
        image = recompressed(Image.open(path).convert("RGB"), tables, random)
        # The windows themselves without further loss.
        image.save(os.path.join(target, part, name + ".png"))


if __name__ == "__main__":
    main()
