"""Encoders beside BERT, in double precision, by the equations of transformers' modeling files; and small models."""
import math

import numpy as np

import bert
from bert import gelu
from equations import frequencies, gated, gelu_tanh, heads, layer_norm, linear, rms, rotate, silu, softmax
from tiny_models import DIM, FFN, HEADS, LAYERS, VOCABULARY, Tensors

HEAD = DIM // HEADS
BASE = {"hidden_size": DIM, "intermediate_size": FFN, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "max_position_embeddings": 64, "vocab_size": VOCABULARY}


def attend_around(q, k, v, scale, half):
    """half: how far tokens see to either side; None: all of the text."""
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = np.einsum("ihd,jhd->hij", q, k) * scale
    if half is not None:
        distance = np.abs(np.arange(len(q))[:, None] - np.arange(len(q))[None, :])
        scores = np.where(distance <= half, scores, -np.inf)
    return np.einsum("hij,jhd->ihd", softmax(scores), v).reshape(len(q), -1)


def mixed(w, p, x, inv, half, norm=lambda h, name: h, names=("q_proj", "k_proj", "v_proj", "o_proj")):
    q, k, v = (heads(linear(w, f"{p}.{name}", x), HEAD) for name in names[:3])
    q, k = (rotate(norm(h, f"{p}.{name}"), inv) for h, name in ((q, "q_norm"), (k, "k_norm")))
    return linear(w, f"{p}.{names[3]}", attend_around(q, k, v, HEAD ** -0.5, half))


def nomic(config, w, ids, act=silu):
    norm = lambda x, name: layer_norm(x, w[name + ".weight"], w[name + ".bias"], config["layer_norm_eps"])
    inv, _ = frequencies({}, HEAD, config["rope_parameters"]["rope_theta"], {})
    h = norm(w["embeddings.word_embeddings.weight"][ids] + w["embeddings.token_type_embeddings.weight"][0],
             "embeddings.LayerNorm")
    for i in range(LAYERS):
        p = f"layers.{i}"
        h = norm(h + mixed(w, p + ".self_attn", h, inv, None), p + ".post_attention_layernorm")
        h = norm(h + gated(w, p + ".mlp", h, act), p + ".post_mlp_layernorm")
    return h


def nomic_model():
    t = Tensors(71)
    t.table("embeddings.word_embeddings")
    t.table("embeddings.token_type_embeddings", 2)
    t.norm("embeddings.LayerNorm", DIM, bias=True)
    for i in range(LAYERS):
        p = f"layers.{i}"
        for name in ("q", "k", "v", "o"):
            t.matrix(f"{p}.self_attn.{name}_proj", DIM, DIM)
        for name, out, into in (("gate", FFN, DIM), ("up", FFN, DIM), ("down", DIM, FFN)):
            t.matrix(f"{p}.mlp.{name}_proj", out, into)
        for name in ("attention", "mlp"):
            t.norm(f"{p}.post_{name}_layernorm", DIM, bias=True)
    config = {**BASE, "architectures": ["NomicBertModel"], "model_type": "nomic_bert", "head_dim": HEAD,
              "hidden_act": "silu", "layer_norm_eps": 1e-12, "type_vocab_size": 2,
              "rope_parameters": {"rope_theta": 1000.0, "rope_type": "default"}}
    return config, t, nomic, {"with GELU in the gate": dict(act=gelu)}


def modern(config, w, ids, half=4, act=gelu):
    norm = lambda x, name: layer_norm(x, w[name + ".weight"], 0, config["norm_eps"])
    h = norm(w["embeddings.tok_embeddings.weight"][ids], "embeddings.norm")
    for i in range(LAYERS):
        p = f"layers.{i}"
        kind = config["layer_types"][i]
        inv, _ = frequencies({}, HEAD, config["rope_parameters"][kind]["rope_theta"], {})
        x = norm(h, p + ".attn_norm") if i > 0 else h
        q, k, v = (rows.T for rows in np.split(w[p + ".attn.Wqkv.weight"] @ x.T, 3))
        q, k, v = rotate(heads(q, HEAD), inv), rotate(heads(k, HEAD), inv), heads(v, HEAD)
        attended = attend_around(q, k, v, HEAD ** -0.5, half if kind == "sliding_attention" else None)
        h = h + linear(w, p + ".attn.Wo", attended)
        up, gate = np.split(linear(w, p + ".mlp.Wi", norm(h, p + ".mlp_norm")), 2, -1)
        h = h + linear(w, p + ".mlp.Wo", act(up) * gate)
    return norm(h, "final_norm")


def modern_model():
    t = Tensors(72)
    t.table("embeddings.tok_embeddings")
    t.norm("embeddings.norm", DIM)
    t.norm("final_norm", DIM)
    for i in range(LAYERS):
        p = f"layers.{i}"
        t.matrix(p + ".attn.Wqkv", 3 * DIM, DIM)
        t.matrix(p + ".attn.Wo", DIM, DIM)
        t.matrix(p + ".mlp.Wi", 2 * FFN, DIM)
        t.matrix(p + ".mlp.Wo", DIM, FFN)
        t.norm(p + ".mlp_norm", DIM)
        if i > 0:
            t.norm(p + ".attn_norm", DIM)
    kinds = ["full_attention", "sliding_attention", "sliding_attention"]
    config = {**BASE, "architectures": ["ModernBertModel"], "model_type": "modernbert", "norm_eps": 1e-5,
              "hidden_activation": "gelu", "local_attention": 8, "layer_types": kinds,
              "rope_parameters": {kind: {"rope_theta": base, "rope_type": "default"}
                                  for kind, base in zip(kinds, (160000.0, 10000.0))}}
    return config, t, modern, {"with a wider window": dict(half=5), "with SiLU": dict(act=silu)}


def gemma(config, w, ids, half=4):
    """half: of `sliding_window`."""
    norm = lambda x, name: rms(x, 1 + w[name + ".weight"], config["rms_norm_eps"])
    h = w["embed_tokens.weight"][ids] * math.sqrt(DIM)
    for i in range(LAYERS):
        p = f"layers.{i}"
        kind = config["layer_types"][i]
        inv, _ = frequencies({}, HEAD, config["rope_parameters"][kind]["rope_theta"], {})
        x = mixed(w, p + ".self_attn", norm(h, p + ".input_layernorm"), inv,
                  half if kind == "sliding_attention" else None, norm)
        h = h + norm(x, p + ".post_attention_layernorm")
        x = gated(w, p + ".mlp", norm(h, p + ".pre_feedforward_layernorm"), gelu_tanh)
        h = h + norm(x, p + ".post_feedforward_layernorm")
    return norm(h, "norm")


def gemma_model():
    t = Tensors(73)
    t.table("embed_tokens")
    t.norm("norm", DIM, 0.0)
    for i in range(LAYERS):
        p = f"layers.{i}"
        for name, out in (("q", HEADS), ("k", 2), ("v", 2)):
            t.matrix(f"{p}.self_attn.{name}_proj", out * HEAD, DIM)
        t.matrix(p + ".self_attn.o_proj", DIM, DIM)
        for name, out, into in (("gate", FFN, DIM), ("up", FFN, DIM), ("down", DIM, FFN)):
            t.matrix(f"{p}.mlp.{name}_proj", out, into)
        for name in ("input", "post_attention", "pre_feedforward", "post_feedforward"):
            t.norm(f"{p}.{name}_layernorm", DIM, 0.0)
        for name in "qk":
            t.norm(f"{p}.self_attn.{name}_norm", HEAD, 0.0)
    kinds = ["sliding_attention", "sliding_attention", "full_attention"]
    config = {**BASE, "architectures": ["Gemma3TextModel"], "model_type": "gemma3_text", "head_dim": HEAD,
              "num_key_value_heads": 2, "rms_norm_eps": 1e-6, "query_pre_attn_scalar": HEAD, "sliding_window": 8,
              "use_bidirectional_attention": True, "hidden_activation": "gelu_pytorch_tanh", "layer_types": kinds,
              "rope_parameters": {kind: {"rope_theta": base, "rope_type": "default"}
                                  for kind, base in zip(kinds[1:], (10000.0, 1e6))}}
    return config, t, gemma, {"with a wider window": dict(half=5)}


def roberta_model():
    """Positions begin behind that of padding."""
    config = {**bert.config("XLMRobertaModel"), "model_type": "xlm-roberta", "pad_token_id": 1}

    def rows(config, w, ids, first=2, **other):
        positions = "embeddings.position_embeddings.weight"
        return bert.rows(config, {**w, positions: w[positions][first:]}, ids, **other)
    return config, bert.tensors(74), rows, {"from the first position": dict(first=0)}


ALL = {"Nomic Embed": nomic_model, "ModernBERT": modern_model, "EmbeddingGemma": gemma_model, "RoBERTa": roberta_model}
