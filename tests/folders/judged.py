"""Running `ingle`, and judging what it gives: near to what equations give, and far from what they give with a
deliberate mistake."""
import subprocess

import numpy as np

import gguf_tensors

EXACT = ["--backend", "cpu", "--kv", "f32", "--activations", "f32", "--ctx", "32"]
# How much more than the tolerance a mistake has to change.
MISTAKE = 50


def run(ingle, *arguments, **more):
    done = subprocess.run([ingle, *map(str, arguments)], capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def logits(ingle, model, ids, out, *more):
    run(ingle, "logits", model, "--tokens", ",".join(map(str, ids)), "--out", out, *EXACT, *more)
    return np.fromfile(out, np.float32).astype(np.float64).reshape(len(ids), -1)


def farthest(a, b):
    return np.abs(a - b).max()


def near(what, own, expected, tolerance):
    assert own.shape == expected.shape, f"{what}: {own.shape} numbers instead of {expected.shape}"
    error = farthest(own, expected)
    assert error <= tolerance, f"{what} differ by {error}"
    return error


def far(what, own, mistaken, tolerance):
    assert farthest(own, mistaken) > MISTAKE * tolerance, f"{what} change nothing"


def judge_model(ingle, folder, ids, what, tolerance, expected, mistakes, *quant):
    """The logits of the folder and of what is imported from it. mistakes: what is done wrong → logits."""
    own = logits(ingle, folder, ids, folder / "own.bin")
    near(f"{what}: logits", own, expected, tolerance)
    for mistake, mistaken in mistakes.items():
        far(f"{what}: {mistake}", own, mistaken, tolerance)
    imported = folder / "imported.gguf"
    run(ingle, "import", folder, "-o", imported, *quant)
    gguf_tensors.expect_loadable(imported)
    return near(f"{what}: logits of the imported file", logits(ingle, imported, ids, folder / "imported.bin"), expected,
                tolerance)
