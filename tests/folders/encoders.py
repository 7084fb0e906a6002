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


def nomic2(config, w, ids, act=gelu, weighs_bias=False):
    """The model's own code, modeling_hf_nomic_bert.py of nomic-ai/nomic-bert-2048. Mistake: each expert adds the
    bias."""
    norm = lambda x, name: layer_norm(x, w[name + ".weight"], w[name + ".bias"], config["layer_norm_epsilon"])
    inv, _ = frequencies({}, HEAD, config["rotary_emb_base"], {})
    h = norm(w["embeddings.word_embeddings.weight"][ids] + w["embeddings.token_type_embeddings.weight"][0], "emb_ln")
    for i in range(LAYERS):
        p = f"encoder.layers.{i}"
        q, k, v = (heads(rows, HEAD) for rows in np.split(linear(w, p + ".attn.Wqkv", h), 3, -1))
        mixed = attend_around(rotate(q, inv), rotate(k, inv), v, HEAD ** -0.5, None)
        h = norm(h + linear(w, p + ".attn.out_proj", mixed), p + ".norm1")
        if i % config["moe_every_n_layers"] == 1:
            up, down = (w[f"{p}.mlp.experts.mlp.{name}"].reshape(config["num_experts"], -1, DIM)
                        for name in ("w1", "w2"))
            shares, fed = softmax(linear(w, p + ".mlp.router.layer", h)), np.zeros_like(h)
            for row in range(len(h)):
                for e in np.argsort(-shares[row])[:config["moe_top_k"]]:
                    given = act(h[row] @ up[e].T) @ down[e]
                    fed[row] += shares[row, e] * (given + w[p + ".mlp.experts.bias"] if weighs_bias else given)
            fed = fed if weighs_bias else fed + w[p + ".mlp.experts.bias"]
        else:
            fed = linear(w, p + ".mlp.fc2", act(linear(w, p + ".mlp.fc1", h)))
        h = norm(h + fed, p + ".norm2")
    return h


def nomic2_model():
    t, count = Tensors(75), 4
    t.table("embeddings.word_embeddings")
    t.table("embeddings.token_type_embeddings", 1)
    t.norm("emb_ln", DIM, bias=True)
    for i in range(LAYERS):
        p = f"encoder.layers.{i}"
        t.matrix(p + ".attn.Wqkv", 3 * DIM, DIM)
        t.bias(p + ".attn.Wqkv", 3 * DIM)
        t.matrix(p + ".attn.out_proj", DIM, DIM)
        t.bias(p + ".attn.out_proj", DIM)
        for name in ("norm1", "norm2"):
            t.norm(f"{p}.{name}", DIM, bias=True)
        if i % 2:
            t.matrix(p + ".mlp.router.layer", count, DIM)
            for name in ("w1", "w2"):
                t[f"{p}.mlp.experts.mlp.{name}"] = t.random.normal(0, 0.2, (count * FFN, DIM))
            t.bias(p + ".mlp.experts", DIM)
        else:
            t.matrix(p + ".mlp.fc1", FFN, DIM)
            t.bias(p + ".mlp.fc1", FFN)
            t.matrix(p + ".mlp.fc2", DIM, FFN)
            t.bias(p + ".mlp.fc2", DIM)
    config = {"architectures": ["NomicBertModel"], "model_type": "nomic_bert", "n_embd": DIM, "n_inner": FFN,
              "n_layer": LAYERS, "n_head": HEADS, "n_positions": 64, "vocab_size": VOCABULARY, "prenorm": False,
              "activation_function": "gelu", "layer_norm_epsilon": 1e-5, "qkv_proj_bias": True, "mlp_fc1_bias": True,
              "mlp_fc2_bias": True, "rotary_emb_base": 10000, "rotary_emb_fraction": 1.0,
              "rotary_emb_interleaved": False, "type_vocab_size": 1, "num_experts": count, "moe_top_k": 2,
              "moe_every_n_layers": 2, "moe_normalize_expert_weights": False, "num_shared_experts": 0}
    return config, t, nomic2, {"with GELU by tanh": dict(act=gelu_tanh), "with a bias of each expert":
                               dict(weighs_bias=True)}


def jina2(config, w, ids, causal=False, turned=False):
    """The two codes of Jina Embeddings 2. Mistakes: only tokens before are as near, gate and up are exchanged."""
    norm = lambda x, name: layer_norm(x, w[name + ".weight"], w[name + ".bias"], config["layer_norm_eps"])
    normed = lambda x, name: norm(x, name) if name + ".weight" in w else x
    slopes = 2.0 ** (-8 / HEADS * np.arange(1, HEADS + 1))
    distance = np.arange(len(ids))[:, None] - np.arange(len(ids))[None, :]
    distance = distance if causal else np.abs(distance)
    h = norm(w["embeddings.word_embeddings.weight"][ids] + w["embeddings.token_type_embeddings.weight"][0],
             "embeddings.LayerNorm")
    for i in range(LAYERS):
        p = f"encoder.layer.{i}"
        a = p + ".attention.self"
        q, k = normed(linear(w, a + ".query", h), a + ".layer_norm_q"), normed(linear(w, a + ".key", h),
                                                                               a + ".layer_norm_k")
        q, k, v = (heads(x, HEAD) for x in (q, k, linear(w, a + ".value", h)))
        scores = np.einsum("ihd,jhd->hij", q, k) * HEAD ** -0.5 - slopes[:, None, None] * distance
        mixed = np.einsum("hij,jhd->ihd", softmax(scores), v).reshape(len(ids), -1)
        x = norm(linear(w, p + ".attention.output.dense", mixed) + h, p + ".attention.output.LayerNorm")
        is_own = p + ".layer_norm_1.weight" in w
        if is_own:
            x = norm(h + x, p + ".layer_norm_1")
        names = ("up_gated_layer", "down_layer") if is_own else ("gated_layers", "wo")
        first, second = np.split(linear(w, f"{p}.mlp.{names[0]}", x), 2, -1)
        gate, up = (second, first) if is_own != turned else (first, second)
        fed = linear(w, f"{p}.mlp.{names[1]}", gelu(gate) * up)
        h = norm(x + fed, p + (".layer_norm_2" if is_own else ".mlp.layernorm"))
    return h


def jina2_model(seed=76, is_own=False):
    t = Tensors(seed)
    t.table("embeddings.word_embeddings")
    t.table("embeddings.token_type_embeddings", 2)
    t.norm("embeddings.LayerNorm", DIM, bias=True)
    for i in range(LAYERS):
        p = f"encoder.layer.{i}"
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            t.matrix(f"{p}.{name}", DIM, DIM)
            t.bias(f"{p}.{name}", DIM)
        names = ("up_gated_layer", "down_layer") if is_own else ("gated_layers", "wo")
        t.matrix(f"{p}.mlp.{names[0]}", 2 * FFN, DIM)
        t.matrix(f"{p}.mlp.{names[1]}", DIM, FFN)
        t.bias(f"{p}.mlp.{names[1]}", DIM)
        norms = ["attention.output.LayerNorm"]
        norms += ["attention.self.layer_norm_q", "attention.self.layer_norm_k", "layer_norm_1",
                  "layer_norm_2"] if is_own else ["mlp.layernorm"]
        for name in norms:
            t.norm(f"{p}.{name}", DIM, bias=True)
    t.matrix("pooler.dense", DIM, DIM)
    t.bias("pooler.dense", DIM)
    config = {**BASE, "architectures": ["JinaBertForMaskedLM"], "model_type": "bert", "layer_norm_eps": 1e-12,
              "position_embedding_type": "alibi", "feed_forward_type": "geglu", "emb_pooler": "mean",
              "hidden_act": "gelu", "type_vocab_size": 2}
    return config, t, jina2, {"with tokens behind as near": dict(causal=True), "with gate and up exchanged":
                              dict(turned=True)}


def jina2_code_model():
    return jina2_model(77, True)


ALL = {"Nomic Embed": nomic_model, "Nomic Embed 2": nomic2_model, "Jina 2": jina2_model,
       "Jina 2 for code": jina2_code_model, "ModernBERT": modern_model, "EmbeddingGemma": gemma_model,
       "RoBERTa": roberta_model}
