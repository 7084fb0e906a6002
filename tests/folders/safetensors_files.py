"""Writing and reading safetensors files and their indexes, as huggingface/safetensors' README describes them."""
import json
import pathlib
import struct

import numpy as np


def bfloat16(values):
    """The upper halves of float32 numbers, rounded to the nearest."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def encode(values, kind):
    if kind == "BF16":
        return bfloat16(values).tobytes()
    return np.ascontiguousarray(values, dtype={"F64": np.float64, "F32": np.float32, "F16": np.float16}[kind]).tobytes()


def decode(data, kind, shape):
    if kind == "BF16":
        numbers = (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    else:
        numbers = np.frombuffer(data, {"F32": np.float32, "F16": np.float16}[kind])
    return numbers.astype(np.float64).reshape(shape)


def write(path, tensors, kind="F32"):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, values in tensors.items():
        encoded = encode(values, kind)
        header[name] = {
            "dtype": kind, "shape": list(np.shape(values)), "data_offsets": [len(data),
                                                                             len(data) + len(encoded)]
        }
        data += encoded
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_model(folder, tensors, kind="F32", shards=1):
    """One file, or several with an index."""
    if shards == 1:
        write(folder / "model.safetensors", tensors, kind)
        return
    names, placed = sorted(tensors), {}
    for shard in range(shards):
        file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        own = names[shard::shards]
        write(folder / file, {name: tensors[name] for name in own}, kind)
        placed.update({name: file for name in own})
    index = {"metadata": {"total_size": 0}, "weight_map": placed}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def read_file(path):
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = decode(data[begin:end], entry["dtype"], entry["shape"])
    return tensors


def read_model(folder):
    tensors = {}
    for file in sorted(folder.glob("*.safetensors")):
        tensors.update(read_file(file))
    return tensors
