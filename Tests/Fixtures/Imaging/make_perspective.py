"""Writes perspective.json: a computed picture seen through perspective maps by OpenCV's warpPerspective.

    python3 make_perspective.py

Points are continuous (pixel (c, r) covers [c, c + 1) x [r, r + 1)); OpenCV counts from pixel centres.
"""

import base64
import json

import cv2
import numpy as np

width, height = 26, 19
y, x = np.mgrid[0:height, 0:width]
picture = np.clip(120 + 70 * np.sin(x / 4.0) + 50 * np.cos(y / 3.0 + x / 7.0), 0, 255).round().astype(np.uint8)
to_centre = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
cases = []
for name, columns, rows, to_source in [
    ("enlarged and turned", 30, 24, [[0.5, 0.2, 3.0], [-0.2, 0.6, 6.0], [0, 0, 1]]),
    ("tilted", 24, 20, [[0.7, 0.1, 2.0], [0.05, 0.6, 3.0], [0.004, 0.007, 1]]),
    ("beyond the border", 20, 20, [[0.8, -0.3, -4.0], [0.3, 0.7, -3.0], [-0.003, 0.002, 1]]),
]:
    h = np.array(to_source, float)
    warped = cv2.warpPerspective(
        picture, to_centre @ h @ np.linalg.inv(to_centre), (columns, rows),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE)
    cases.append({
        "name": name, "width": columns, "height": rows, "map": h.flatten().tolist(),
        "pixels": base64.b64encode(warped.tobytes()).decode()})
with open("perspective.json", "w") as file:
    json.dump({
        "producer": "OpenCV " + cv2.__version__ + " warpPerspective, INTER_LINEAR", "tolerance": 1, "width": width,
        "height": height, "pixels": base64.b64encode(picture.tobytes()).decode(), "cases": cases}, file, indent=1)
    file.write("\n")
