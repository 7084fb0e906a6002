"""Gemma 3n: the equations of transformers' modeling_gemma3n.py in double precision, and a small model with random
weights."""
import math

import numpy as np

from equations import attend, gelu_tanh, heads, linear, rms, rotate
from tiny_models import CONTEXT, DIM, FFN, HEADS, VOCABULARY, Model, Tensors, gated

STREAMS, LAUREL, OWN, HEAD, WINDOW = 4, 64, 256, 16, 8
LAYERS, SPARSE, WITH_CACHE = 22, 10, 20
DEVIATIONS = 1.6448536269514722  # of the normal distribution's 0.95
OWN_ROWS = VOCABULARY - 3


def own_embeddings(config, w, ids, h):
    """[tokens, layers, width]; tokens that the table does not have read its first row."""
    count, eps = config["num_hidden_layers"], config["rms_norm_eps"]
    rows = np.where(np.array(ids) < OWN_ROWS, ids, 0)
    table = (w["model.embed_tokens_per_layer.weight"][rows] * math.sqrt(OWN)).reshape(len(ids), count, OWN)
    projected = linear(w, "model.per_layer_model_projection", h) / math.sqrt(DIM)
    projected = rms(projected.reshape(len(ids), count, OWN), w["model.per_layer_projection_norm.weight"], eps)
    return (projected + table) / math.sqrt(2)


def as_long_as(like, x):
    length = lambda y: np.mean(y * y, -1, keepdims=True)
    return x * np.sqrt(length(like) / np.maximum(length(x), 1e-5))


def fed(config, w, p, x, all_open=False):
    gate = linear(w, p + ".gate_proj", x)
    if config["activation_sparsity_pattern"][int(p.split(".")[2])] and not all_open:
        gate = np.maximum(gate - gate.mean(-1, keepdims=True) - DEVIATIONS * gate.std(-1, keepdims=True), 0)
    return linear(w, p + ".down_proj", gelu_tanh(gate) * linear(w, p + ".up_proj", x))


def gemma3n(config, w, ids, neighbours=False, all_open=False, turned=False):
    """Mistakes: neighbours are rotated, no gate is sparse, coefficients are read by columns."""
    eps, kinds = config["rms_norm_eps"], config["layer_types"]
    norm = lambda x, name: rms(x, w[name + ".weight"], eps)
    first = w["model.embed_tokens.weight"][ids] * math.sqrt(DIM)
    own, kept = own_embeddings(config, w, ids, first), {}
    streams = [first] + [
        as_long_as(first, linear(w, f"model.altup_projections.{s}", first)) for s in range(STREAMS - 1)
    ]
    for i, kind in enumerate(kinds):
        p = f"model.layers.{i}"
        windowed = kind == "sliding_attention"
        inv = (1e4 if windowed else 1e6) ** (-np.arange(0, HEAD, 2) / HEAD)
        modes = lambda x: np.tanh(linear(w, p + ".altup.modality_router", norm(x, p + ".altup.router_norm") / DIM))
        mixing = linear(w, p + ".altup.prediction_coefs", modes(streams[0])).reshape(-1, STREAMS, STREAMS)
        mixing = mixing.transpose(0, 2, 1) if turned else mixing
        predictions = [
            streams[o] + sum(streams[j] * mixing[:, o, j:j + 1] for j in range(STREAMS)) for o in range(STREAMS)
        ]
        x = norm(predictions[0], p + ".input_layernorm")
        laurel = x + norm(linear(w, p + ".laurel.linear_right", linear(w, p + ".laurel.linear_left", x)),
                          p + ".laurel.post_laurel_norm")
        q = norm(heads(linear(w, p + ".self_attn.q_proj", x), HEAD), p + ".self_attn.q_norm")
        q = rotate(q, inv, 1, neighbours)
        if i < WITH_CACHE:
            k = norm(heads(linear(w, p + ".self_attn.k_proj", x), HEAD), p + ".self_attn.k_norm")
            v = rms(heads(linear(w, p + ".self_attn.v_proj", x), HEAD), 1, eps)
            kept[kind] = rotate(k, inv, 1, neighbours), v
        k, v = kept[kind]
        mixed = linear(w, p + ".self_attn.o_proj", attend(q, k, v, 1.0, WINDOW if windowed else 0))
        h = (predictions[0] + norm(mixed, p + ".post_attention_layernorm") + laurel) / math.sqrt(2)
        x = fed(config, w, p + ".mlp", norm(h, p + ".pre_feedforward_layernorm"), all_open)
        h = h + norm(x, p + ".post_feedforward_layernorm")
        factors = linear(w, p + ".altup.correction_coefs", modes(h)) + 1
        streams = [predictions[s] + (h - predictions[0]) * factors[:, s:s + 1] for s in range(STREAMS)]
        gate = linear(w, p + ".per_layer_input_gate", streams[0] * w[p + ".altup.correct_output_scale"])
        made = norm(linear(w, p + ".per_layer_projection", gelu_tanh(gate) * own[:, i]),
                    p + ".post_per_layer_input_norm")
        streams = streams[:1] + [stream + made for stream in streams[1:]]
    streams = streams[:1] + [
        as_long_as(streams[0], linear(w, f"model.altup_unembed_projections.{s}", streams[s + 1]))
        for s in range(STREAMS - 1)
    ]
    cap = config["final_logit_softcapping"]
    logits = norm(sum(streams) / STREAMS, "model.norm") @ w["model.embed_tokens.weight"].T
    return cap * np.tanh(logits / cap)


gemma3n.mistakes = {"pairs in the wrong order": {"neighbours": True}, "gates all open": {"all_open": True},
                    "coefficients by columns": {"turned": True}}


def gemma3n_text():
    kinds = ["full_attention" if (i + 1) % 5 == 0 else "sliding_attention" for i in range(LAYERS - 1)]
    kinds.append("full_attention")  # one of each kind reads others' keys
    config = {
        "architectures": ["Gemma3nForCausalLM"], "model_type": "gemma3n_text", "hidden_size": DIM,
        "intermediate_size": [FFN] * LAYERS, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "num_key_value_heads": 2, "head_dim": HEAD, "max_position_embeddings": CONTEXT, "vocab_size": VOCABULARY,
        "vocab_size_per_layer_input": OWN_ROWS, "rms_norm_eps": 1e-6, "hidden_activation": "gelu_pytorch_tanh",
        "sliding_window": WINDOW, "query_pre_attn_scalar": 256, "layer_types": kinds, "final_logit_softcapping": 30.0,
        "hidden_size_per_layer_input": OWN, "altup_num_inputs": STREAMS, "altup_active_idx": 0,
        "altup_correct_scale": True, "altup_coef_clip": 120.0, "laurel_rank": LAUREL,
        "num_kv_shared_layers": LAYERS - WITH_CACHE, "rope_theta": 1e6, "rope_local_base_freq": 1e4,
        "activation_sparsity_pattern": [0.95] * SPARSE + [0.0] * (LAYERS - SPARSE)
    }
    t = Tensors(82)
    t.table("model.embed_tokens")
    # float32 in so many layers, whose gates close where numbers are a little smaller, is too far from float64 for
    # larger logits.
    t.norm("model.norm", DIM)
    t["model.norm.weight"] *= 0.1
    t.table("model.embed_tokens_per_layer", OWN_ROWS, LAYERS * OWN)
    t.matrix("model.per_layer_model_projection", LAYERS * OWN, DIM)
    t.norm("model.per_layer_projection_norm", OWN)
    for s in range(STREAMS - 1):
        t.matrix(f"model.altup_projections.{s}", DIM, DIM)
        t.matrix(f"model.altup_unembed_projections.{s}", DIM, DIM)
    for i in range(LAYERS):
        p = f"model.layers.{i}"
        for name in ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
                     "post_feedforward_layernorm", "post_per_layer_input_norm", "altup.router_norm",
                     "laurel.post_laurel_norm"):
            t.norm(f"{p}.{name}", DIM)
        t.matrix(p + ".self_attn.q_proj", HEADS * HEAD, DIM)
        t.norm(p + ".self_attn.q_norm", HEAD, 0.5)
        t.matrix(p + ".self_attn.o_proj", DIM, HEADS * HEAD)
        # Files hold those of the last layers as well, which nobody reads.
        if i != LAYERS - 1:
            t.matrix(p + ".self_attn.k_proj", 2 * HEAD, DIM)
            t.matrix(p + ".self_attn.v_proj", 2 * HEAD, DIM)
            t.norm(p + ".self_attn.k_norm", HEAD, 0.5)
        gated(t, p + ".mlp")
        t[p + ".altup.correct_output_scale"] = t.random.normal(1, 0.2, DIM)
        t.matrix(p + ".altup.correction_coefs", STREAMS, STREAMS)
        t.matrix(p + ".altup.prediction_coefs", STREAMS * STREAMS, STREAMS)
        t[p + ".altup.prediction_coefs.weight"] *= 0.3
        t.matrix(p + ".altup.modality_router", STREAMS, DIM)
        t[p + ".altup.modality_router.weight"] *= 8
        t.matrix(p + ".laurel.linear_left", LAUREL, DIM)
        t.matrix(p + ".laurel.linear_right", DIM, LAUREL)
        t.matrix(p + ".per_layer_input_gate", OWN, DIM)
        t.matrix(p + ".per_layer_projection", DIM, OWN)
    return Model(config, t, gemma3n)


MODELS = {"gemma3n_text": gemma3n_text}
