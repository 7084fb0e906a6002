"""Writes GGUF v3 files with float32 tensors (`ingle import` quantises them afterwards).

Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""
import struct

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
