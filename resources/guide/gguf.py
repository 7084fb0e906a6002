"""Reads and writes GGUF v3 files, as far as the guide needs it. Standard library only: the build uses it, too.

Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""
import dataclasses
import math
import os
import pathlib
import struct

ALIGNMENT = 32
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", UINT32: "I", INT32: "i", FLOAT32: "f", BOOL: "?", 10: "Q", 11: "q", 12: "d"}
F32, F16, Q8_0 = 0, 1, 8
BLOCKS = {F32: (1, 4), F16: (1, 2), Q8_0: (32, 34)}  # numbers and bytes of a block, by type


@dataclasses.dataclass
class Tensor:
    shape: tuple[int, ...]  # slowest dimension first, unlike in the file
    type: int
    data: bytes


def numbers(tensor: Tensor, row: int) -> list[float]:
    """A row of a matrix, or of a vector (row 0)."""
    count, size = BLOCKS[tensor.type]
    data = tensor.data[row * row_bytes(tensor) :][: row_bytes(tensor)]
    blocks = [data[i : i + size] for i in range(0, len(data), size)]
    match tensor.type:
        case 0: return [struct.unpack("<f", block)[0] for block in blocks]
        case 1: return [struct.unpack("<e", block)[0] for block in blocks]
    scaled = (struct.unpack(f"<e{count}b", block) for block in blocks)
    return [scale * quant for scale, *quants in scaled for quant in quants]


def with_row(tensor: Tensor, row: int, values: list[float]) -> Tensor:
    """A matrix of Q8_0 with another row. Raises ValueError for other types."""
    if tensor.type != Q8_0:
        raise ValueError(f"rows are written as Q8_0 only, not as type {tensor.type}")
    count, _ = BLOCKS[Q8_0]
    raw = b""
    for block in (values[i : i + count] for i in range(0, len(values), count)):
        scale = struct.unpack("<e", struct.pack("<e", max(map(abs, block)) / 127))[0]
        raw += struct.pack("<e", scale) + bytes(round(value / scale) & 0xFF if scale else 0 for value in block)
    at = row * row_bytes(tensor)
    return dataclasses.replace(tensor, data=tensor.data[:at] + raw + tensor.data[at + len(raw) :])


def row_bytes(tensor: Tensor) -> int:
    count, size = BLOCKS[tensor.type]
    return tensor.shape[-1] // count * size


class Reader:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, form: str):
        value = struct.unpack_from("<" + form, self.data, self.at)[0]
        self.at += struct.calcsize("<" + form)
        return value

    def text(self) -> str:
        length = self.take("Q")
        self.at += length
        return self.data[self.at - length : self.at].decode()

    def value(self, kind: int):
        if kind == STRING:
            return self.text()
        if kind == ARRAY:
            of, count = self.take("I"), self.take("Q")
            return [self.value(of) for _ in range(count)]
        return self.take(SCALARS[kind])


def read(path: pathlib.Path) -> tuple[dict, dict[str, Tensor]]:
    """Metadata and tensors. Raises ValueError for what is no GGUF v3 file."""
    reader = Reader(path.read_bytes())
    if reader.data[:8] != b"GGUF" + struct.pack("<I", 3):
        raise ValueError(f"{path} is no GGUF file of version 3")
    reader.at = 8
    num_tensors, num_keys = reader.take("Q"), reader.take("Q")
    metadata = {}
    for _ in range(num_keys):
        key = reader.text()
        metadata[key] = reader.value(reader.take("I"))
    places = {}
    for _ in range(num_tensors):
        name = reader.text()
        shape = tuple(reversed([reader.take("Q") for _ in range(reader.take("I"))]))
        places[name] = (shape, reader.take("I"), reader.take("Q"))
    begin = reader.at + -reader.at % metadata.get("general.alignment", ALIGNMENT)
    tensors = {}
    for name, (shape, kind, offset) in places.items():
        numbers, size = BLOCKS[kind]
        end = begin + offset + math.prod(shape) // numbers * size
        tensors[name] = Tensor(shape, kind, reader.data[begin + offset : end])
    return metadata, tensors


def _string(text: str) -> bytes:
    raw = text.encode()
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


def write(path: pathlib.Path, metadata: dict, tensors: dict[str, Tensor]) -> None:
    """Whole or not at all, also when it is killed."""
    head = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)))
    for key, value in metadata.items():
        head += _string(key) + _value(value)
    offset = 0
    for name, tensor in tensors.items():
        head += _string(name) + struct.pack(f"<I{len(tensor.shape)}QIQ", len(tensor.shape), *reversed(tensor.shape),
                                            tensor.type, offset)
        offset += -(-len(tensor.data) // ALIGNMENT) * ALIGNMENT
    path = pathlib.Path(path)
    unfinished = path.with_name(path.name + ".part")
    with open(unfinished, "wb") as out:
        out.write(head + bytes(-len(head) % ALIGNMENT))
        for tensor in tensors.values():
            out.write(tensor.data + bytes(-len(tensor.data) % ALIGNMENT))
    os.replace(unfinished, path)
