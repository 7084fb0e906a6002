"""BERT: the equations of transformers' modeling_bert.py in double precision, and small models."""
import math

import numpy as np

from equations import attend, heads, layer_norm, linear, softmax
from tiny_models import DIM, FFN, HEADS, LAYERS, VOCABULARY, Tensors

CONTEXT = 32


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def attend_all(q, k, v, scale):
    shares = softmax(np.einsum("ihd,jhd->hij", q, k) * scale)
    return np.einsum("hij,jhd->ihd", shares, v).reshape(len(q), -1)


def rows(config, w, ids, causal=False, act=gelu):
    """One row a token. Mistake: a token sees those before it only."""
    eps = config["layer_norm_eps"]
    norm = lambda x, name: layer_norm(x, w[name + ".weight"], w[name + ".bias"], eps)
    dim = config["hidden_size"] // config["num_attention_heads"]
    h = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:len(ids)]
    h = norm(h + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for i in range(config["num_hidden_layers"]):
        p = f"encoder.layer.{i}"
        q, k, v = (heads(linear(w, f"{p}.attention.self.{name}", h), dim) for name in ("query", "key", "value"))
        mixed = attend(q, k, v, dim ** -0.5) if causal else attend_all(q, k, v, dim ** -0.5)
        h = norm(linear(w, p + ".attention.output.dense", mixed) + h, p + ".attention.output.LayerNorm")
        h = norm(
            linear(w, p + ".output.dense", act(linear(w, p + ".intermediate.dense", h))) + h, p + ".output.LayerNorm")
    return h


def scores(w, h):
    return linear(w, "classifier", np.tanh(linear(w, "pooler.dense", h[:1])))[0]


def tensors(seed, labels=0):
    t = Tensors(seed)
    t.table("embeddings.word_embeddings")
    t.table("embeddings.position_embeddings", CONTEXT)
    t.table("embeddings.token_type_embeddings", 2)
    t.norm("embeddings.LayerNorm", DIM, bias=True)
    t["embeddings.position_ids"] = np.arange(CONTEXT, dtype=np.float64)
    for i in range(LAYERS):
        p = f"encoder.layer.{i}"
        for name, out, into in (("attention.self.query", DIM, DIM), ("attention.self.key", DIM, DIM),
                                ("attention.self.value", DIM, DIM), ("attention.output.dense", DIM, DIM),
                                ("intermediate.dense", FFN, DIM), ("output.dense", DIM, FFN)):
            t.matrix(f"{p}.{name}", out, into)
            t.bias(f"{p}.{name}", out)
        t.norm(p + ".attention.output.LayerNorm", DIM, bias=True)
        t.norm(p + ".output.LayerNorm", DIM, bias=True)
    t.matrix("pooler.dense", DIM, DIM)
    t.bias("pooler.dense", DIM)
    if labels:
        t.matrix("classifier", labels, DIM)
        t.bias("classifier", labels)
    return t


def config(architecture):
    return {
        "architectures": [architecture], "model_type": "bert", "hidden_size": DIM, "intermediate_size": FFN,
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "max_position_embeddings": CONTEXT,
        "vocab_size": VOCABULARY, "layer_norm_eps": 1e-12, "hidden_act": "gelu", "type_vocab_size": 2
    }
