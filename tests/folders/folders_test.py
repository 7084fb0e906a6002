#!/usr/bin/env python3
"""Folders of Hugging Face as models: `ingle` gives the logits of their own equations, and so does what it imports from them.

usage: folders_test.py INGLE [MODEL…]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import safetensors_files
import tiny_models

TOLERANCE = 2e-4
IDS = [3, 17, 88, 4, 61, 61, 9, 30, 75, 2, 44, 13, 90, 27, 5, 68, 33, 51, 80, 11, 7, 94, 21, 39]
EXACT = ["--backend", "cpu", "--kv", "f32", "--activations", "f32", "--ctx", "32"]


def run(ingle, *arguments):
    done = subprocess.run([ingle, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def logits(ingle, model, out):
    run(ingle, "logits", model, "--tokens", ",".join(map(str, IDS)), "--out", out, *EXACT)
    return np.fromfile(out, np.float32).astype(np.float64).reshape(len(IDS), -1)


def farthest(a, b):
    return np.abs(a - b).max()


def check(ingle, name, folder, kind="F32", shards=1):
    model = tiny_models.MODELS[name]()
    (folder / "config.json").write_text(json.dumps(model.config))
    safetensors_files.write_model(folder, model.tensors, kind, shards)
    config = json.loads((folder / "config.json").read_text())
    stored = safetensors_files.read_model(folder)

    expected = model.equations(config, stored, IDS)
    own = logits(ingle, folder, folder / "own.bin")
    error = farthest(own, expected)
    assert error <= TOLERANCE, f"{name}: logits differ by {error}"

    # A wrong order of rotated pairs is seen.
    right_order = name in ("glm4", "chatglm")
    mistaken = model.equations(config, stored, IDS, neighbours=not right_order)
    assert farthest(own, mistaken) > 50 * TOLERANCE, f"{name}: pairs in the wrong order change nothing"

    imported = folder / "imported.gguf"
    run(ingle, "import", folder, "-o", imported)
    error = farthest(logits(ingle, imported, folder / "imported.bin"), expected)
    assert error <= TOLERANCE, f"{name}: logits of the imported file differ by {error}"
    print(f"{name}: {error:.1e}")
    return expected


def main():
    ingle, names = sys.argv[1], sys.argv[2:] or tiny_models.MODELS
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            shards = 3 if name in ("qwen3_moe", "gemma2") else 1
            kind = {"mistral_yarn": "BF16", "qwen2": "F16"}.get(name, "F32")
            check(ingle, name, pathlib.Path(folder), kind, shards)


if __name__ == "__main__":
    main()
