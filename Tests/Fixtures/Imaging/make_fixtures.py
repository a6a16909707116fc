#!/usr/bin/env python3
"""Makes the small image files that the Imaging tests read, and the pixels that other programs find in them.

Run in this folder: python3 make_fixtures.py
Needs Pillow, OpenCV, scikit-image, NumPy and libturbojpeg. Versions are recorded in expected.json.
All pictures are computed here; none is a photograph.
"""
import base64
import ctypes
import ctypes.util
import io
import json
import struct
import zlib

import cv2
import numpy as np
import PIL
import skimage
from PIL import Image, ImageOps
from skimage import color

expected = {
    "producer": f"Pillow {PIL.__version__}, OpenCV {cv2.__version__}, scikit-image {skimage.__version__}, "
    f"NumPy {np.__version__}",
    "images": {},
    "resizes": [],
    "luv": {},
}


def b64(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def record(name, pixels, tolerance, source, orientation=1, bits=8, alpha=False):
    pixels = np.asarray(pixels, dtype=np.uint8)
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    expected["images"][name] = {
        "width": pixels.shape[1], "height": pixels.shape[0], "channels": channels, "pixels": b64(pixels),
        "tolerance": tolerance, "source": source, "orientation": orientation, "bits": bits, "alpha": alpha,
    }


# --- PNG: an encoder of every colour type, depth and interlacing, since no common writer makes them all.

def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def pack_rows(samples, bits):
    """samples: height x width x channels of whole numbers; one filter byte (none) a row."""
    out = b""
    for row in samples:
        flat = row.reshape(-1)
        if bits == 16:
            body = flat.astype(">u2").tobytes()
        elif bits == 8:
            body = flat.astype(np.uint8).tobytes()
        else:
            text = "".join(format(int(v), f"0{bits}b") for v in flat)
            text += "0" * (-len(text) % 8)
            body = bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))
        out += b"\0" + body
    return out


ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def png(samples, bits, kind, interlaced=False, extra=b"", after=b""):
    height, width = samples.shape[:2]
    if interlaced:
        raw = b"".join(
            pack_rows(samples[y::dy, x::dx], bits)
            for x, y, dx, dy in ADAM7 if samples[y::dy, x::dx].size)
    else:
        raw = pack_rows(samples, bits)
    header = struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(raw, 9)) + after
            + chunk(b"IEND", b""))


def to8(samples, bits):
    return np.floor(samples.astype(float) * 255 / (2 ** bits - 1) + 0.5)


def over_white(values, alpha):
    return np.floor((values * alpha[..., None] + 255 * (255 - alpha[..., None])) / 255 + 0.5)


def squeeze(pixels):
    return pixels[..., 0] if pixels.ndim == 3 and pixels.shape[2] == 1 else pixels


rng = np.random.default_rng(20240601)
W, H = 13, 11
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
for kind, depths in ((0, (1, 2, 4, 8, 16)), (2, (8, 16)), (3, (1, 2, 4, 8)), (4, (8, 16)), (6, (8, 16))):
    for bits in depths:
        samples = rng.integers(0, 2 ** bits, (H, W, CHANNELS[kind]))
        palette = rng.integers(0, 256, (2 ** min(bits, 8), 3))
        extra = chunk(b"PLTE", palette.astype(np.uint8).tobytes()) if kind == 3 else b""
        if kind == 3:
            pixels = palette[samples[..., 0]]
        elif kind in (4, 6):
            pixels = over_white(to8(samples[..., :-1], bits), to8(samples[..., -1], bits))
        else:
            pixels = to8(samples, bits)
        for interlaced in (False, True):
            name = f"png-type{kind}-{bits}{'-interlaced' if interlaced else ''}.png"
            data = png(samples, bits, kind, interlaced, extra)
            open(name, "wb").write(data)
            # Other readers must see the same picture, so that the encoder above is itself checked. They cut 16 bits to
            # the upper byte instead of rounding.
            seen = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
            if seen.dtype == np.uint16:
                seen = np.floor(seen / 257 + 0.5)
            if kind == 6:
                seen = over_white(seen[..., 2::-1].astype(float), seen[..., 3].astype(float))
            elif kind == 4:
                # OpenCV gives grey with alpha as BGRA.
                seen = over_white(seen[..., :1].astype(float), seen[..., -1].astype(float))
            elif kind in (2, 3):
                seen = seen[..., ::-1]
            assert np.abs(squeeze(seen).astype(float) - squeeze(pixels)).max() <= (1 if bits == 16 else 0), name
            record(name, squeeze(pixels), 1 if bits == 16 and kind in (4, 6) else 0,
                   "the samples, checked against OpenCV", bits=bits, alpha=kind in (4, 6))

# Transparency by tRNS.
samples = rng.integers(0, 4, (H, W, 1)) * 85
pixels = np.where(samples == 85, 255, samples)
open("png-trns-grey8.png", "wb").write(png(samples, 8, 0, extra=chunk(b"tRNS", struct.pack(">H", 85))))
record("png-trns-grey8.png", squeeze(pixels), 0, "the samples", alpha=True)
samples = rng.integers(0, 2, (H, W, 3)) * 65535
clear = (samples == [65535, 0, 0]).all(axis=2, keepdims=True)
pixels = np.where(clear, 255, samples // 257)
open("png-trns-rgb16.png", "wb").write(png(samples, 16, 2, extra=chunk(b"tRNS", struct.pack(">HHH", 65535, 0, 0))))
record("png-trns-rgb16.png", pixels, 0, "the samples", bits=16, alpha=True)
samples = rng.integers(0, 4, (H, W, 1))
palette = rng.integers(0, 256, (4, 3))
alphas = np.array([0, 90, 255, 255])
extra = chunk(b"PLTE", palette.astype(np.uint8).tobytes()) + chunk(b"tRNS", bytes([0, 90]))
open("png-trns-palette2.png", "wb").write(png(samples, 2, 3, extra=extra))
pixels = over_white(palette[samples[..., 0]].astype(float), alphas[samples[..., 0]].astype(float))
record("png-trns-palette2.png", pixels, 0, "the samples", bits=2, alpha=True)

# Chunks that must not change a value: gamma, chromaticities, intent, text; and an orientation after the data.
gamma = chunk(b"gAMA", struct.pack(">I", 100000)) + chunk(b"tEXt", b"Comment\0linear") + chunk(b"bKGD", b"\0\x40")
samples = rng.integers(0, 256, (H, W, 1))
open("png-gamma-grey8.png", "wb").write(png(samples, 8, 0, extra=gamma))
record("png-gamma-grey8.png", squeeze(samples), 0, "the samples, as Pillow and OpenCV show them")
assert (np.asarray(Image.open("png-gamma-grey8.png")) == squeeze(samples)).all()
samples = rng.integers(0, 65536, (H, W, 3))
open("png-gamma-rgb16.png", "wb").write(png(samples, 16, 2, extra=chunk(b"gAMA", struct.pack(">I", 45455))))
record("png-gamma-rgb16.png", to8(samples, 16), 0, "the samples", bits=16)
tiff = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
samples = rng.integers(0, 256, (H, W, 3))
open("png-exif6.png", "wb").write(png(samples, 8, 2, after=chunk(b"eXIf", tiff)))
record("png-exif6.png", np.asarray(ImageOps.exif_transpose(Image.open("png-exif6.png"))), 0, "Pillow exif_transpose",
       orientation=6)

# --- JPEG

ramp_y, ramp_x = np.mgrid[0:20, 0:28]
picture = np.stack([
    ramp_x * 8 % 256, ramp_y * 12 % 256, 128 + 100 * np.sin(ramp_x / 4.0) * np.cos(ramp_y / 3.0),
], axis=2).astype(np.uint8)
photo = Image.fromarray(picture)


def jpeg(name, image, source="Pillow", orientation=1, tolerance=1, **options):
    image.save(name, "JPEG", **options)
    seen = ImageOps.exif_transpose(Image.open(name))
    record(name, np.asarray(seen), tolerance, source, orientation=orientation)


jpeg("jpeg-baseline.jpg", photo, quality=85, subsampling="4:2:0")
jpeg("jpeg-444.jpg", photo, quality=85, subsampling="4:4:4")
jpeg("jpeg-progressive.jpg", photo, quality=85, progressive=True)
jpeg("jpeg-grey.jpg", photo.convert("L"), quality=85)
jpeg("jpeg-restarts.jpg", photo, quality=85, restart_marker_blocks=2)
for value in range(1, 9):
    for order, mark in (("<", b"II"), (">", b"MM")):
        exif = b"Exif\0\0" + mark + struct.pack(
            order + "HIH" + "HHII" + "HHIHH" + "I", 42, 8, 2, 0x0100, 4, 1, 28, 0x0112, 3, 1, value, 0, 0)
        jpeg(f"jpeg-exif{value}-{'little' if order == '<' else 'big'}.jpg", photo.crop((0, 0, 18, 11)), "Pillow exif_transpose", value,
             quality=80, exif=exif)

inks = np.stack([255 - picture[..., 0], 255 - picture[..., 1], 255 - picture[..., 2], ramp_x * 4 % 200], axis=2)
inks = inks.astype(np.uint8)
Image.fromarray(inks, "CMYK").save("jpeg-cmyk.jpg", quality=90)
record("jpeg-cmyk.jpg", np.asarray(Image.open("jpeg-cmyk.jpg").convert("RGB")), 2, "Pillow convert(RGB)")
turbo = ctypes.CDLL(ctypes.util.find_library("turbojpeg"))
turbo.tjInitCompress.restype = ctypes.c_void_p
buffer = ctypes.POINTER(ctypes.c_ubyte)()
size = ctypes.c_ulong(0)
inverted = np.ascontiguousarray(255 - inks)
# TJPF_CMYK = 11, TJSAMP_444 = 0: TurboJPEG stores CMYK as YCCK, with the Adobe marker that says "inverted".
assert turbo.tjCompress2(
    ctypes.c_void_p(turbo.tjInitCompress()), inverted.ctypes.data_as(ctypes.c_void_p), 28, 0, 20, 11,
    ctypes.byref(buffer), ctypes.byref(size), 0, 90, 0) == 0
ycck = ctypes.string_at(buffer, size.value)
assert b"Adobe" in ycck
open("jpeg-ycck.jpg", "wb").write(ycck)
record("jpeg-ycck.jpg", np.asarray(Image.open("jpeg-ycck.jpg").convert("RGB")), 2, "Pillow convert(RGB)")

# --- Resizing, luma and L*u*v*

source = rng.integers(0, 256, (23, 31, 3)).astype(np.uint8)
expected["source"] = {"width": 31, "height": 23, "channels": 3, "pixels": b64(source)}
luma = cv2.cvtColor(source, cv2.COLOR_RGB2GRAY)
expected["luma"] = b64(luma)
for width, height in ((20, 17), (15, 11), (46, 33), (31, 12), (1, 1), (7, 30), (3, 2)):
    for method, flag in (("bilinear", cv2.INTER_LINEAR), ("area", cv2.INTER_AREA)):
        if method == "area" and (width > 31 or height > 23):
            continue
        for channels, image in ((1, luma), (3, source)):
            expected["resizes"].append({
                "width": width, "height": height, "method": method, "channels": channels,
                "pixels": b64(cv2.resize(image, (width, height), interpolation=flag)),
            })
            if channels == 1:
                values = cv2.resize(image.astype(np.float32) / 255, (width, height), interpolation=flag)
                expected["resizes"][-1]["float"] = b64(values)
values = source.astype(float) / 255
expected["luv"]["sRGB"] = b64(color.rgb2luv(values).astype(np.float32))
matrix = np.array([[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]])
expected["luv"]["linear"] = b64(color.xyz2luv(values @ matrix.T).astype(np.float32))

with open("expected.json", "w") as out:
    json.dump(expected, out, indent=1, sort_keys=True)
    out.write("\n")
