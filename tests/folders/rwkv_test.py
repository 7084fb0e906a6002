#!/usr/bin/env python3
"""Golden RWKV files of rwkv.cpp as their authors' .pth: what the converter did to the numbers is undone, and `ingle`
gives the golden logits.

usage: rwkv_test.py INGLE GOLDEN
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

import pytorch_files

TOLERANCE = 2e-4
TURNED = ("time_maa_w1", "time_maa_w2", "time_decay_w1", "time_decay_w2", "w1", "w2", "a1", "a2", "v1", "v2", "g1",
          "g2")


def read_rwkv_cpp(path):
    """Six u32, then records: dimensions, length of the name, type, dimensions from the contiguous one on, name,
    numbers."""
    data, tensors, at = path.read_bytes(), {}, 24
    while at < len(data):
        count, length, kind = struct.unpack_from("<3I", data, at)
        dims = struct.unpack_from(f"<{count}I", data, at + 12)
        at += 12 + 4 * count
        name = data[at:at + length].decode()
        at += length
        assert kind == 0, "only float32 files can be turned back exactly"
        size = 4 * int(np.prod(dims))
        tensors[name] = np.frombuffer(data[at:at + size], np.float32).astype(np.float64).reshape(dims[::-1])
        at += size
    return tensors


def as_published(tensors, version):
    """The reverse of rwkv.cpp's convert_pytorch_to_ggml.py."""
    out = {}
    for name, values in tensors.items():
        own = name.split(".att.")[-1]
        if own == "x_rwkvag":
            for letter, row in zip("rwkvag", values.reshape(6, -1)):
                out[name.replace("x_rwkvag", "x_" + letter)] = row.reshape(1, 1, -1)
            continue
        if own in TURNED:
            values = np.swapaxes(values, -1, -2)
        elif own == "time_decay":
            if version == "4v0":
                values = np.log(-values)
            elif version.startswith("5"):
                values = np.log(-np.log(values))
            values = values.reshape(1, 1, -1) if version == "6v0" else values.squeeze()
        elif own == "time_first" and version == "5v1":
            values = np.log(values).squeeze()
        elif own in ("time_faaaa", "time_first"):
            values = values.squeeze(-1) if values.ndim == 3 else values
        elif values.ndim == 1 and (".att.time_" in name or ".ffn.time_" in name
                                   or own in ("w0", "a0", "v0", "k_k", "k_a") or ".ffn.x_" in name):
            values = values.reshape(1, 1, -1)
        out[name] = values
    if version == "7v0":  # the first layer's, which nobody reads
        width = out["emb.weight"].shape[1]
        out.update({
            "blocks.0.att.v0": np.ones((1, 1, width)), "blocks.0.att.v1": np.ones((width, 8)),
            "blocks.0.att.v2": np.ones((8, width))
        })
    return out


def main():
    ingle, golden = sys.argv[1], pathlib.Path(sys.argv[2]) / "rwkv"
    if not golden.exists():
        print(f"no golden vectors in {golden}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for version in ("4v0", "5v1", "5v2", "6v0", "7v0"):
            sidecar = json.loads((golden / f"random-{version}.json").read_text())
            source = next(
                golden.glob(f"random-{version}*.bin") if "model" not in sidecar else iter([golden / sidecar["model"]]))
            tensors = as_published(read_rwkv_cpp(source), version)
            for write, name in ((pytorch_files.write_zip, "zip"), (pytorch_files.write_legacy, "legacy")):
                model, out = folder / f"{version}-{name}.pth", folder / "logits.bin"
                write(model, tensors)
                options = ["--set", "group_norm_epsilon=1e-5"] if version.startswith("5") else []
                done = subprocess.run([
                    ingle, "logits",
                    str(model), "--tokens", ",".join(map(str, sidecar["tokens"])), "--out",
                    str(out), "--backend", "cpu", "--kv", "f32", "--activations", "f32", *options
                ],
                                      capture_output=True,
                                      text=True)
                assert done.returncode == 0, f"{version} {name}: {done.stderr}"
                expected = np.fromfile(golden / sidecar["logits"], np.float32)
                error = np.abs(np.fromfile(out, np.float32) - expected).max()
                assert error <= TOLERANCE, f"{version} {name}: logits differ by {error}"
                print(f"{version} {name}: {error:.1e}")


if __name__ == "__main__":
    main()
