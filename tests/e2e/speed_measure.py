#!/usr/bin/env python3
"""Is an answer as fast as `ingle inspect` foretells?

speed_measure.py INGLE [SHAPE…]     prints a line for each shape; exit status 1 when one is off by more than 30 %

Whatever else the computer does makes both figures smaller, so each is the best of several, measured in turns. Still a
measurement: for a computer that has nothing else to do.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

LLAMA = {"family": "llama", "dim": 2048, "ffn": 5632, "layers": 8, "heads": 16, "kv-heads": 4, "vocab": 16000}
# Each is larger than what caches hold: 260 MB on a large server.
SHAPES = {
    "dense Q4_0": LLAMA | {"layers": 18, "quant": "Q4_0"},
    "dense Q4_K": LLAMA | {"layers": 18, "quant": "Q4_K"},
    "dense Q8_0": LLAMA | {"quant": "Q8_0"},
    "dense F16": LLAMA | {"layers": 4, "quant": "F16"},
    "mixture Q8_0": LLAMA | {"dim": 1024, "ffn": 2048, "experts": 8, "experts-used": 2, "quant": "Q8_0"},
    "rwkv7 Q8_0": {
        "family": "rwkv7", "dim": 2048, "ffn": 8192, "layers": 6, "heads": 32, "vocab": 16000, "quant": "Q8_0"
    },
}
TOLERANCE = 0.30
TURNS = 8


def output_of(*command):
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def measure(ingle, folder, name, threads):
    path = os.path.join(folder, "model.gguf")
    options = [word for key, value in SHAPES[name].items() for word in (f"--{key}", str(value))]
    subprocess.run([ingle, "synth", *options, "--context", "256", "-o", path], check=True)
    how = [path, "--backend", "cpu", "--json", *(["--threads", str(threads)] if threads else [])]
    foretold = truth = 0
    for turn in range(TURNS):
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, f"cache-{name}-{turn}")  # measured anew
        foretold = max(foretold, output_of(ingle, "inspect", *how)["foretold_tok_s"])
        truth = max(truth, output_of(ingle, "bench", *how, "-p", "8", "-n", "8")["decode_tok_s"])
    off = foretold / truth - 1
    print(f"{name:14} foretold {foretold:6.1f}, measured {truth:6.1f} tokens a second, {off * 100:+5.1f} %", flush=True)
    return abs(off) <= TOLERANCE


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ingle")
    parser.add_argument("shapes", nargs="*")
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        right = [measure(options.ingle, folder, name, options.threads) for name in options.shapes or SHAPES]
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
