"""Writing and reading FastLLM's files, by what LoadFromFile (src/fastllm.cpp) reads and LowBitConfig
(include/fastllm.h) computes."""
import struct

import numpy as np

F32, BF16, INT8, INT4, F16, INT4_NOZERO, INT4_GROUP = 0, 1, 3, 4, 7, 8, 9
f32 = np.float32


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<i", len(data)) + data


def quantise(values, bits, random):
    """Any ranges and integers will do: what they stand for is the reader's business. Here: near the values, with some
    ranges odd."""
    low, high = np.minimum(values.min(-1), 0).astype(f32), np.maximum(values.max(-1), 0).astype(f32)
    steps = np.where(high > low, (high - low) / (2 ** bits - 1), 1)
    q = np.clip(np.round((values - low[..., None]) / steps[..., None]), 0, 2 ** bits - 1).astype(np.uint8)
    low[..., 0] = np.abs(low[..., 0])  # ranges that begin above 0 are extended to it
    high[..., 0] = low[..., 0] + 1
    return low, high, q


def payload(values, kind, random, group=0):
    values = np.ascontiguousarray(values, f32)
    if kind == F32:
        return values.tobytes()
    if kind == F16:
        return values.astype(np.float16).tobytes()
    if kind == BF16:
        return (values.view(np.uint32) >> 16).astype(np.uint16).tobytes()
    bits = 8 if kind == INT8 else 4
    head = struct.pack("<i", 0)
    if kind == INT4_GROUP:
        count = -(-values.shape[1] // group)
        head += struct.pack("<ii", count, group)
        padded = np.zeros((values.shape[0], count * group), f32)
        padded[:, :values.shape[1]] = values
        low, high, q = quantise(padded.reshape(values.shape[0], count, group), bits, random)
        q = q.reshape(values.shape[0], -1)[:, :values.shape[1]]
    else:
        low, high, q = quantise(values, bits, random)
    head += np.stack((low, high), -1).astype("<f4").tobytes()
    if bits == 8:
        return head + q.tobytes()
    q = q.reshape(-1, 2)
    return head + (q[:, 0] * 16 + q[:, 1]).astype(np.uint8).tobytes()


def write(path, dictionary, tokens, tensors, kind_of, seed=1, group=32):
    """tokens: [(bytes, id, score)], with scores if the dictionary says so; kind_of(name, values): the type."""
    random = np.random.default_rng(seed)
    out = struct.pack("<ii", 2, len(dictionary))
    for key in sorted(dictionary):
        out += text(key) + text(str(dictionary[key]))
    out += struct.pack("<i", len(tokens))
    for piece, number, score in tokens:
        out += struct.pack("<i", len(piece)) + b"".join(struct.pack("<i", byte) for byte in piece) + struct.pack(
            "<i", number)
        if dictionary.get("tokenizer_use_score") == "1":
            out += struct.pack("<f", score)
    out += struct.pack("<i", len(tensors))
    for name, values in tensors.items():
        kind = kind_of(name, values)
        out += text(name) + struct.pack("<i", values.ndim) + struct.pack(f"<{values.ndim}i", *
                                                                         values.shape) + struct.pack("<i", kind)
        out += payload(values, kind, random, group)
    path.write_bytes(out)


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        assert self.at <= len(self.data)
        return self.data[self.at - count:self.at]

    def integer(self):
        return struct.unpack("<i", self.take(4))[0]

    def text(self):
        return self.take(self.integer())


def stand_for(q, low, high, kind):
    """LowBitConfig::Reset and invQuantization, in float32 and in their order."""
    bits = 8 if kind == INT8 else 4
    low, high = np.minimum(low, f32(0)), np.maximum(high, f32(0))
    most = f32(2 ** bits - 1)
    scale = ((high - low) / most).astype(f32)
    safe = np.where(scale > 0, scale, f32(1))
    zero = np.where(scale > 0, np.clip(f32(0) - low / safe, f32(0), most), f32(0))
    zero = np.floor(zero + f32(0.5)).astype(f32)
    if kind in (INT8, INT4):
        return scale[..., None] * (q.astype(f32) - zero[..., None])
    return (-scale * zero)[..., None] + scale[..., None] * q.astype(f32)


def read(path, mistake=None):
    """The dictionary, the tokens and the tensors in float32. `mistake`: what somebody might get wrong."""
    cursor = Cursor(path.read_bytes())
    assert cursor.integer() == 2
    dictionary = {}
    for _ in range(cursor.integer()):
        key = cursor.text().decode()
        dictionary[key] = cursor.text().decode()
    scored, tokens = dictionary.get("tokenizer_use_score") == "1", []
    for i in range(cursor.integer()):
        piece = bytes(cursor.integer() & 255 for _ in range(cursor.integer()))
        number = cursor.integer()
        tokens.append((piece, number, struct.unpack("<f", cursor.take(4))[0] if scored else float(-i)))
    tensors, kinds = {}, {}
    for _ in range(cursor.integer()):
        name = cursor.text().decode()
        shape = [cursor.integer() for _ in range(cursor.integer())]
        kind, count = cursor.integer(), int(np.prod(shape))
        kinds[name] = kind
        if kind == F32:
            tensors[name] = np.frombuffer(cursor.take(4 * count), "<f4").reshape(shape)
            continue
        if kind == F16:
            tensors[name] = np.frombuffer(cursor.take(2 * count), "<f2").astype(f32).reshape(shape)
            continue
        if kind == BF16:
            tensors[name] = (
                np.frombuffer(cursor.take(2 * count), "<u2").astype(np.uint32) << 16).view(f32).reshape(shape)
            continue
        assert cursor.integer() == 0  # the axis
        groups, size = (cursor.integer(), cursor.integer()) if kind == INT4_GROUP else (1, shape[1])
        low, high = np.frombuffer(cursor.take(8 * shape[0] * groups), "<f4").reshape(shape[0], groups,
                                                                                     2).transpose(2, 0, 1)
        if kind == INT8:
            q = np.frombuffer(cursor.take(count), np.uint8)
        else:
            pairs = np.frombuffer(cursor.take(count // 2), np.uint8)
            order = (pairs & 15, pairs >> 4) if mistake == "low nibble first" else (pairs >> 4, pairs & 15)
            q = np.stack(order, -1).reshape(-1)
        padded = np.zeros((shape[0], groups * size), np.uint8)
        padded[:, :shape[1]] = q.reshape(shape)
        if mistake == "range of one step more":
            high = high * f32(2 ** (8 if kind == INT8 else 4)) / f32(2 ** (8 if kind == INT8 else 4) - 1)
        values = stand_for(padded.reshape(shape[0], groups, size), low, high, kind)
        tensors[name] = values.reshape(shape[0], -1)[:, :shape[1]].astype(f32)
    assert cursor.at == len(cursor.data), "bytes are left"
    return dictionary, tokens, tensors, kinds
