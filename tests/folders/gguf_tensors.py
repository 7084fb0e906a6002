"""Tensors of a GGUF file, as ggml's specification describes it."""
import re

import numpy as np

import gguf_vocabulary

ALIGNMENT = 32


# What llama.cpp's operations take as float32 only, and aborts on otherwise: everything with one dimension, and these.
FLOAT32 = re.compile(r"norm|conv1d|shortconv\.conv|token_types|position_embd|ffn_gate_inp|exp_probs|ssm_(a|d)\b|"
                     r"time_mix_(first|lerp|w0|a0|v0|k_k|k_a|r_k|decay|ln)|rope_|\.bias$|\.scale$")
# Families whose queries, keys and values its loaders want as one tensor.
FUSED = ("bloom", "falcon", "gpt2", "gptneox", "starcoder")
# Tensors that its loaders of all families want as two.
APART = {"ffn_gate_up_exps": "ffn_gate_exps, ffn_up_exps"}


def directory(path):
    """name → (shape, type, offset), the architecture, and the reader behind it."""
    reader = gguf_vocabulary.Reader(path.read_bytes())
    assert reader.data[:4] == b"GGUF"
    reader.at = 8
    count = reader.scalar("Q")
    keys = {}
    for _ in range(reader.scalar("Q")):
        name = reader.text().decode()
        keys[name] = reader.value(reader.scalar("I"))
    places = {}
    for _ in range(count):
        name = reader.text().decode()
        shape = [reader.scalar("Q") for _ in range(reader.scalar("I"))][::-1]
        places[name] = shape, reader.scalar("I"), reader.scalar("Q")
    return places, keys["general.architecture"].decode(), reader


def expect_loadable(path):
    """By structure: the types and the layout that llama.cpp's loaders take."""
    places, architecture, _ = directory(path)
    fused = any("attn_qkv" in name for name in places)
    assert architecture not in FUSED or fused, f"{architecture} has to have attn_qkv"
    for name, (shape, kind, _) in places.items():
        assert kind == 0 or (len(shape) > 1 and not FLOAT32.search(name)), f"{name} {shape} is of type {kind}"
        for whole, parts in APART.items():
            assert whole not in name, f"{name} has to be {parts}"


def read(path):
    """Of a file that holds float32 only."""
    places, _, reader = directory(path)
    assert all(kind == 0 for _, kind, _ in places.values()), f"{path} does not hold float32 only"
    begin = -(-reader.at // ALIGNMENT) * ALIGNMENT
    return {name: np.frombuffer(reader.data, np.float32, int(np.prod(shape)), begin + offset).reshape(shape)
            for name, (shape, _, offset) in places.items()}
