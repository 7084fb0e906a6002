#!/usr/bin/env python3
"""Folders of Hugging Face as models: `ingle` gives the logits of their own equations, and so does what it imports
from them.

usage: folders_test.py INGLE [MODEL…]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import cohere2
import exaone4
import gemma3n
import gemma4
import gguf_tensors
import gpt_descendants
import internlm2
import judged
import llama4
import mixtures
import pytorch_files
import qwen1
import qwen3_vl_moe
import qwen_hybrid
import safetensors_files
import state_spaces
import tiny_models
from judged import farthest, run

MODELS = {
    name: make
    for module in (tiny_models, cohere2, exaone4, gemma3n, gemma4, gpt_descendants, internlm2, llama4, mixtures, qwen1,
                   qwen3_vl_moe, qwen_hybrid, state_spaces)
    for name, make in module.MODELS.items()
}
TOLERANCE = 2e-4
IDS = [3, 17, 88, 4, 61, 61, 9, 30, 75, 2, 44, 13, 90, 27, 5, 68, 33, 51, 80, 11, 7, 94, 21, 39]


def logits(ingle, model, out):
    return judged.logits(ingle, model, IDS, out)


def error_of_rounding(ingle, model, out):
    """What activations rounded to bytes change, as a share of the logits."""
    exact = logits(ingle, model, out)
    run(ingle, "logits", model, "--tokens", ",".join(map(str, IDS)), "--out", out, "--backend", "cpu", "--kv", "f32",
        "--ctx", "32")
    rounded = np.fromfile(out, np.float32).astype(np.float64).reshape(exact.shape)
    return np.sqrt(np.mean((rounded - exact) ** 2) / np.mean(exact ** 2))


def check_rounding(ingle, model, folder):
    """Packed matrices are multiplied with rounded activations where they lie: as near as Q8_0 of the same numbers
    comes."""
    run(ingle, "import", model, "-o", folder / "usual.gguf", "--quant", "Q8_0")
    usual, own = (error_of_rounding(ingle, path, folder / "rounded.out") for path in (folder / "usual.gguf", model))
    assert usual / 2 < own < usual * 2, f"{model}: rounding changes {own}, in Q8_0 {usual}"
    return own


def check(ingle, name, folder, kind="F32", shards=1):
    model = MODELS[name]()
    (folder / "config.json").write_text(json.dumps(model.config))
    safetensors_files.write_model(folder, model.tensors, kind, shards)
    config = json.loads((folder / "config.json").read_text())
    stored = safetensors_files.read_model(folder)
    right_order = name in ("glm4", "chatglm")
    mistakes = getattr(model.equations, "mistakes", {"pairs in the wrong order": {"neighbours": not right_order}})
    error = judged.judge_model(ingle, folder, IDS, name, TOLERANCE, model.equations(config, stored, IDS), {
        what: model.equations(config, stored, IDS, **mistake) for what, mistake in mistakes.items()})
    print(f"{name}: {error:.1e}")


def check_uses(ingle, folder):
    """What can be done with a file can be done with a folder, and with each of its parts."""
    model = tiny_models.MODELS["mixtral"]()
    (folder / "config.json").write_text(json.dumps(model.config))
    safetensors_files.write_model(folder, model.tensors, shards=2)
    facts = json.loads(run(ingle, "inspect", folder, "--json"))
    assert facts["family"] == "llama" and facts["format"] == "safetensors" and facts["name"] == folder.name, facts
    parts = sorted(folder.glob("*.safetensors")) + [folder / "model.safetensors.index.json", folder / "config.json"]
    for part in parts:
        assert json.loads(run(ingle, "inspect", part, "--json"))["weight_bytes"] == facts["weight_bytes"], part
    ids = ",".join(map(str, IDS))
    greedy = ["--tokens", ids, "-n", "8", "--greedy", *judged.EXACT]
    imported, small = folder / "imported.gguf", folder / "small.gguf"
    run(ingle, "import", folder, "-o", imported)
    assert run(ingle, "generate", folder, *greedy) == run(ingle, "generate", imported, *greedy)
    run(ingle, "import", parts[1], "-o", small, "--quant", "Q8_0")
    sizes = json.loads(run(ingle, "inspect", small, "--json"))
    assert sizes["weight_bytes"] < facts["weight_bytes"] / 3, sizes
    (folder / "small.txt").write_text("refused")
    for wrong, sentence in ((folder / "small.txt", "not a model file"), (folder.parent / "nothing-here",
                                                                         "no such file")):
        done = subprocess.run([ingle, "inspect", str(wrong)], capture_output=True, text=True)
        assert done.returncode == 1 and sentence in done.stderr, done.stderr


def check_pytorch(ingle, folder):
    """The same tensors in PyTorch's files: as an archive, in the older form, and in parts."""
    model = tiny_models.MODELS["llama"]()
    (folder / "config.json").write_text(json.dumps(model.config))
    expected = model.equations(
        model.config, {name: values.astype(np.float32).astype(np.float64) for name, values in model.tensors.items()},
        IDS)

    def check_one(what):
        error = farthest(logits(ingle, folder, folder / "own.bin"), expected)
        assert error <= TOLERANCE, f"{what}: logits differ by {error}"
        print(f"{what}: {error:.1e}")
    single = folder / "pytorch_model.bin"
    pytorch_files.write_zip(single, model.tensors)
    check_one("PyTorch's archive")
    pytorch_files.write_legacy(single, model.tensors)
    check_one("PyTorch's older form")
    pytorch_files.write_zip(single, model.tensors, "F64", transposed=True)
    check_one("PyTorch's archive of doubles, column by column")
    single.unlink()
    names, placed = sorted(model.tensors), {}
    for part in range(2):
        file = f"pytorch_model-{part + 1:05}-of-00002.bin"
        pytorch_files.write_zip(folder / file, {name: model.tensors[name] for name in names[part::2]})
        placed.update({name: file for name in names[part::2]})
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": placed}))
    check_one("PyTorch's parts")


def check_loadable(ingle, folder):
    """Norms and convolutions that lie as BF16 are written as other engines take them, quantised or not."""
    for name in ("llama", "stablelm", "lfm2", "granite_hybrid_experts", "jamba", "nemotron_h_experts", "hy_v3",
                 "laguna"):
        model = MODELS[name]()
        (folder / "config.json").write_text(json.dumps(model.config))
        safetensors_files.write_model(folder, model.tensors, "BF16")
        for quant in ([], ["--quant", "Q8_0"]):
            run(ingle, "import", folder, "-o", folder / "imported.gguf", *quant)
            gguf_tensors.expect_loadable(folder / "imported.gguf")
        (folder / "model.safetensors").unlink()


def main():
    ingle, names = sys.argv[1], sys.argv[2:] or MODELS
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            shards = 3 if name in ("qwen3_moe", "gemma2") else 1
            kind = {"mistral_yarn": "BF16", "qwen2": "F16"}.get(name, "F32")
            check(ingle, name, pathlib.Path(folder), kind, shards)
    with tempfile.TemporaryDirectory() as folder:
        check_loadable(ingle, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_uses(ingle, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_pytorch(ingle, pathlib.Path(folder))


if __name__ == "__main__":
    main()
