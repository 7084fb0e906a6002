#!/usr/bin/env python3
"""llama2.c's checkpoints: `ingle` gives the logits of what they hold, and writes what export.py writes.

usage: llama2c_test.py INGLE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import equations
import gguf_floats
import llama2c_files
import safetensors_files
import tiny_models
from folders_test import IDS, TOLERANCE, check_rounding, farthest, logits, run


def doubles(tensors):
    return {name: np.asarray(values, np.float64) for name, values in tensors.items()}


def by_evaluator(path, mistake=None):
    config, tensors, _, _ = llama2c_files.read(path, mistake)
    return equations.llama(config, doubles(tensors), IDS, neighbours=True)


def check_reading(ingle, folder, version, group=64):
    model = tiny_models.MODELS["llama"]()
    path = folder / "model.bin"
    config = {**model.config, "intermediate_size": 128}
    tensors = dict(model.tensors)
    for name in tensors:
        if name.endswith(("gate_proj.weight", "up_proj.weight")):
            tensors[name] = np.concatenate((tensors[name], tensors[name][:32]), 0)
        if name.endswith("down_proj.weight"):
            tensors[name] = np.concatenate((tensors[name], tensors[name][:, 32:64]), 1)
    llama2c_files.write(path, config, tensors, version, group)
    own = logits(ingle, path, folder / "own.out")
    error = farthest(own, by_evaluator(path))
    assert error <= TOLERANCE, f"version {version}: logits differ by {error}"
    if version != 2:
        print(f"version {version}: {error:.1e}")
        return
    assert farthest(own, by_evaluator(path, "scales of the group before")) > 50 * TOLERANCE
    run(ingle, "import", path, "-o", folder / "imported.gguf", "--quant", "F32")
    ours, stored = gguf_floats.read(folder / "imported.gguf"), llama2c_files.read(path)[1]
    for theirs, name in (("self_attn.q_proj", "attn_q"), ("mlp.down_proj", "ffn_down")):
        assert stored[f"model.layers.1.{theirs}.weight"].tobytes() == ours[f"blk.1.{name}.weight"].tobytes(), name
    assert ours["token_embd.weight"].tobytes() == stored["model.embed_tokens.weight"].tobytes()
    rounded = check_rounding(ingle, path, folder) if group % 32 == 0 else 0
    print(f"version 2 in groups of {group}: {error:.1e}, rounded {rounded:.1e}")


def check_writing(ingle, folder):
    """A folder of Hugging Face, whose halves are rotated, as a checkpoint of neighbours."""
    model = tiny_models.MODELS["llama"]()
    (folder / "config.json").write_text(json.dumps(model.config))
    safetensors_files.write_model(folder, model.tensors)
    expected = model.equations(model.config, safetensors_files.read_model(folder), IDS)
    floats, integers = folder / "floats.bin", folder / "integers.bin"
    run(ingle, "import", folder, "-o", floats)
    run(ingle, "import", folder, "-o", integers, "--quant", "Q8_0")
    config, tensors, version, _ = llama2c_files.read(floats)
    assert version == 0 and config["vocab_size"] == tiny_models.VOCABULARY and not config["tie_word_embeddings"]
    assert farthest(by_evaluator(floats), expected) <= TOLERANCE
    # Groups of 64 do not divide rows of 96.
    version, packed = llama2c_files.read(integers)[2:]
    assert version == 2 and len(packed["lm_head.weight"][1]) == tiny_models.VOCABULARY * tiny_models.DIM // 32
    for name, (q, scale) in packed.items():
        their_q, their_scale = llama2c_files.quantised(tensors[name], 32)
        assert q.tobytes() == their_q.tobytes() and scale.tobytes() == their_scale.tobytes(), name
    for path in (floats, integers):
        assert farthest(logits(ingle, path, folder / "own.out"), by_evaluator(path)) <= TOLERANCE, path


def check_refusals(ingle, folder):
    for name, sentence in (("qwen2", "family qwen2, not llama"), ("llama3", "rotary positions"),
                           ("mixtral", "there is no place for")):
        model = tiny_models.MODELS[name]()
        (folder / "config.json").write_text(
            json.dumps({**model.config, "rope_theta": 10000.0} if name == "mixtral" else model.config))
        safetensors_files.write_model(folder, model.tensors)
        done = subprocess.run(
            [ingle, "import", str(folder), "-o", str(folder / "out.bin")], capture_output=True, text=True)
        assert done.returncode == 1 and "cannot hold this model" in done.stderr, done.stderr
        assert not (folder / "out.bin").exists()


def main():
    ingle = sys.argv[1]
    for version, group in ((0, 0), (1, 0), (2, 64), (2, 32), (2, 16)):
        with tempfile.TemporaryDirectory() as folder:
            check_reading(ingle, pathlib.Path(folder), version, group)
    with tempfile.TemporaryDirectory() as folder:
        check_writing(ingle, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_refusals(ingle, pathlib.Path(folder))


if __name__ == "__main__":
    main()
