"""Reading the tensors of a GGUF file whose numbers are all F32 or F16, by ggml's docs/gguf.md."""
import struct

import numpy as np

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


def read(path):
    data, at = path.read_bytes(), 24
    num_tensors, num_keys = struct.unpack("<QQ", data[8:24])

    def text():
        nonlocal at
        length = struct.unpack_from("<Q", data, at)[0]
        at += 8 + length
        return data[at - length:at].decode(errors="replace")

    def skip(kind):
        nonlocal at
        if kind == 8:
            text()
        elif kind == 9:
            inner, count = struct.unpack_from("<IQ", data, at)
            at += 12
            for _ in range(count):
                skip(inner)
        else:
            at += SIZES[kind]

    for _ in range(num_keys):
        text()
        at += 4
        skip(struct.unpack_from("<I", data, at - 4)[0])
    entries = []
    for _ in range(num_tensors):
        name, count = text(), struct.unpack_from("<I", data, at)[0]
        dims = struct.unpack_from(f"<{count}Q", data, at + 4)
        kind, offset = struct.unpack_from("<IQ", data, at + 4 + 8 * count)
        at += 16 + 8 * count
        entries.append((name, dims[::-1], kind, offset))
    begin = (at + 31) // 32 * 32
    return {
        name: np.frombuffer(data, {0: "<f4", 1: "<f2"}[kind], int(np.prod(dims)),
                            begin + offset).astype(np.float32).reshape(dims) for name, dims, kind, offset in entries
    }
