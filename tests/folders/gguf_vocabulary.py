"""The keys of a GGUF file, as ggml's specification describes them; tensors are not looked at."""
import gzip
import struct

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def scalar(self, code):
        value = struct.unpack_from("<" + code, self.data, self.at)[0]
        self.at += struct.calcsize("<" + code)
        return value

    def text(self):
        length = self.scalar("Q")
        self.at += length
        return self.data[self.at - length:self.at]

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind != 9:
            return self.scalar(SCALARS[kind])
        inner, count = self.scalar("I"), self.scalar("Q")
        if inner == 8:
            return [self.text() for _ in range(count)]
        code = SCALARS[inner]
        values = list(struct.unpack_from(f"<{count}{code}", self.data, self.at))
        self.at += count * struct.calcsize("<" + code)
        return values


def read_keys(path):
    reader = Reader(gzip.open(path).read())
    assert reader.data[:4] == b"GGUF"
    reader.at = 8
    reader.scalar("Q")
    keys = {}
    for _ in range(reader.scalar("Q")):
        name = reader.text().decode()
        keys[name] = reader.value(reader.scalar("I"))
    return keys
