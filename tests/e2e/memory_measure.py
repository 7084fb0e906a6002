#!/usr/bin/env python3
"""Is the memory that `ingle inspect` foretells what a process takes whose context is full?

memory_measure.py INGLE [--all] [SHAPE…]     prints a line for each shape; exit status 1 when one is off by more than
10 %

Each shape is a model of random weights, a context and a cache type. A few take seconds; --all takes the longer ones,
too.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

DENSE = {
    "family": "llama", "dim": 512, "ffn": 1024, "layers": 8, "heads": 8, "kv-heads": 8, "vocab": 4000, "quant": "Q8_0"
}
GROUPED = DENSE | {"dim": 1024, "ffn": 2816, "layers": 12, "heads": 16, "kv-heads": 4, "vocab": 8000}
MIXTURE = DENSE | {"ffn": 512, "experts": 8, "experts-used": 2}
RWKV = {"family": "rwkv7", "dim": 512, "ffn": 2048, "layers": 8, "heads": 8, "vocab": 4000, "quant": "Q8_0"}

# name: model, context (of recurrent models: tokens that are read), cache, whether it is quick
SHAPES = {
    "dense 1024 f16": (DENSE, 1024, "f16", True),
    "dense 4096 q8": (DENSE, 4096, "q8", False),
    "dense 4096 f16": (DENSE, 4096, "f16", False),
    "dense 8192 f16": (DENSE, 8192, "f16", False),
    "grouped 2048 f16": (GROUPED, 2048, "f16", False),
    "grouped 8192 q8": (GROUPED, 8192, "q8", False),
    "mixture 1024 q8": (MIXTURE, 1024, "q8", True),
    "mixture 4096 f16": (MIXTURE, 4096, "f16", False),
    "rwkv7": (RWKV, 256, "f16", True),
    "rwkv6": (RWKV | {"family": "rwkv6", "dim": 1024, "heads": 16}, 256, "f16", False),
}
TOLERANCE = 0.10


def peak_bytes(command):
    """The most memory that a process had, the files it mapped included."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)[:200]} ended with {process.returncode}")
    return usage.ru_maxrss * 1024


def measure(ingle, folder, name):
    model, context, cache, _ = SHAPES[name]
    path = os.path.join(folder, "model.gguf")
    options = [word for key, value in model.items() for word in (f"--{key}", str(value))]
    subprocess.run([ingle, "synth", *options, "--context", str(context), "-o", path], check=True)
    how = [path, "--backend", "cpu", "--kv", cache, "--ctx", str(context)]
    said = json.loads(subprocess.run([ingle, "inspect", *how, "--json"], check=True, capture_output=True).stdout)
    new = 8
    tokens = ",".join(str(300 + i % 3000) for i in range(context - new))
    peak = peak_bytes([ingle, "generate", *how, "--tokens", tokens, "-n", str(new), "--greedy"])
    need = said["memory_need_bytes"]
    off = peak / need - 1
    print(f"{name:18} said {need / 1e6:7.1f} MB, took {peak / 1e6:7.1f} MB, {off * 100:+5.1f} %", flush=True)
    return abs(off) <= TOLERANCE


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ingle")
    parser.add_argument("shapes", nargs="*")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    names = options.shapes or [name for name, shape in SHAPES.items() if options.all or shape[3]]
    with tempfile.TemporaryDirectory() as folder:
        # Nothing that was measured or remembered elsewhere.
        os.environ.update(XDG_CACHE_HOME=folder, XDG_DATA_HOME=folder)
        right = [measure(options.ingle, folder, name) for name in names]
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
