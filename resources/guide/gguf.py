"""Writes GGUF v3 files with float32 tensors (`ingle import` quantises them afterwards) and reads their tensors again.

Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""
import math
import struct

import numpy

ALIGNMENT = 32
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
TENSOR_F32 = 0


def _string(text: str | bytes) -> bytes:
    raw = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(raw)) + raw


def _scalar(value) -> tuple[int, bytes]:
    if isinstance(value, bool):
        return BOOL, struct.pack("<?", value)
    if isinstance(value, int):
        return (INT32, struct.pack("<i", value)) if value < 0 else (UINT32, struct.pack("<I", value))
    if isinstance(value, float):
        return FLOAT32, struct.pack("<f", value)
    return STRING, _string(value)


def _value(value) -> bytes:
    if not isinstance(value, list):
        kind, raw = _scalar(value)
        return struct.pack("<I", kind) + raw
    if isinstance(value[0], int):  # token types: signed by convention
        return struct.pack(f"<IIQ{len(value)}i", ARRAY, INT32, len(value), *value)
    kind = _scalar(value[0])[0]
    return struct.pack("<IIQ", ARRAY, kind, len(value)) + b"".join(_scalar(v)[1] for v in value)


def write(path, metadata: dict, tensors: dict) -> None:
    """`tensors`: name to a float32 numpy array, row-major; GGUF lists dimensions fastest first."""
    head = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)))
    for key, value in metadata.items():
        head += _string(key) + _value(value)
    offset = 0
    for name, array in tensors.items():
        head += _string(name) + struct.pack(f"<I{array.ndim}QIQ", array.ndim, *reversed(array.shape), TENSOR_F32, offset)
        offset += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
    with open(path, "wb") as out:
        out.write(head + bytes(-len(head) % ALIGNMENT))
        for array in tensors.values():
            out.write(array.tobytes() + bytes(-array.nbytes % ALIGNMENT))


def read_tensors(path) -> dict:
    """The tensors of a file that write() wrote, by name."""
    raw = open(path, "rb").read()
    at = 24
    num_tensors, num_metadata = struct.unpack_from("<QQ", raw, 8)

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, raw, at)
        at += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def take_string():
        nonlocal at
        length = take("Q")
        at += length
        return raw[at - length : at].decode()

    forms = {UINT32: "I", INT32: "i", FLOAT32: "f", BOOL: "?"}

    def take_value(kind):
        if kind == ARRAY:
            element, count = take("IQ")
            return [take_value(element) for _ in range(count)]
        return take_string() if kind == STRING else take(forms[kind])

    for _ in range(num_metadata):
        take_string()
        take_value(take("I"))
    directory = []
    for _ in range(num_tensors):
        name, rank = take_string(), take("I")
        shape = tuple(reversed([take("Q") for _ in range(rank)]))
        directory.append((name, shape, take("IQ")[1]))
    data = at + -at % ALIGNMENT
    return {name: numpy.frombuffer(raw, numpy.float32, math.prod(shape), data + offset).reshape(shape).copy() for name, shape, offset in directory}
