"""Tensors of a GGUF file that holds float32 only, as ggml's specification describes it."""
import numpy as np

import gguf_vocabulary

ALIGNMENT = 32


def read(path):
    reader = gguf_vocabulary.Reader(path.read_bytes())
    assert reader.data[:4] == b"GGUF"
    reader.at = 8
    count = reader.scalar("Q")
    for _ in range(reader.scalar("Q")):
        reader.text()
        reader.value(reader.scalar("I"))
    places = {}
    for _ in range(count):
        name = reader.text().decode()
        shape = [reader.scalar("Q") for _ in range(reader.scalar("I"))][::-1]
        assert reader.scalar("I") == 0, f"{name} is not float32"
        places[name] = shape, reader.scalar("Q")
    begin = -(-reader.at // ALIGNMENT) * ALIGNMENT
    return {name: np.frombuffer(reader.data, np.float32, int(np.prod(shape)), begin + offset).reshape(shape)
            for name, (shape, offset) in places.items()}
