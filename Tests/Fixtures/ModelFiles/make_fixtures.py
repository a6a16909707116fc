#!/usr/bin/env python3
"""Makes python.safetensors beside it: what the Python package writes, for our reader. Run with safetensors 0.8.0, numpy 2.4.6."""
import json, os
import numpy as np
from safetensors.numpy import save_file

here = os.path.dirname(os.path.abspath(__file__))
tensors = {
    "weights": np.arange(6, dtype=np.float32).reshape(2, 3) / 4 - 0.5,
    "bias": np.array(-0.125, dtype=np.float64),
    "half": np.array([1.5, -2.0, 6.103515625e-05, 5.960464477539063e-08, 65504.0], dtype=np.float16),
    "counts": np.array([-3, 2**31 - 1], dtype=np.int32),
    "large": np.array([2**62, -1], dtype=np.int64),
    "bytes": np.array([[0, 255, 7]], dtype=np.uint8),
    "none": np.zeros((0, 4), dtype=np.float32),
}
metadata = {
    "format": "windhover", "kind": "golden", "version": "3", "options": json.dumps({"stride": 8, "name": "é \"x\" 😀"}),
    "provenance": json.dumps({"command": "make_fixtures.py", "seed": 18446744073709551615, "dataSets": [
        {"name": "none", "description": "generated", "imageCount": 0}]}),
}
save_file(tensors, os.path.join(here, "python.safetensors"), metadata)
