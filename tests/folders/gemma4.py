"""Gemma 4: the equations of transformers' modeling_gemma4.py in double precision, and small models with random
weights."""
import math

import numpy as np

from equations import attend, experts, gelu_tanh, heads, linear, rms, rotate
from equations import gated as gated_mlp
from tiny_models import CONTEXT, DIM, FFN, HEADS, VOCABULARY, Model, Tensors, gated

HEAD, FULL_HEAD, WINDOW, OWN = 16, 32, 8, 8


def frequencies(rope, dim):
    """Of the whole head by their own index; only a part of the pairs turns ("proportional")."""
    turning = int(rope.get("partial_rotary_factor", 1.0) * dim // 2)
    inv = rope["rope_theta"] ** (-np.arange(0, dim, 2) / dim) / rope.get("factor", 1.0)
    return np.where(np.arange(dim // 2) < turning, inv, 0.0)


def own_embeddings(config, w, ids, h):
    """[tokens, layers, width]"""
    width, count, eps = config["hidden_size_per_layer_input"], config["num_hidden_layers"], config["rms_norm_eps"]
    table = (w["model.embed_tokens_per_layer.weight"][ids] * math.sqrt(width)).reshape(len(ids), count, width)
    projected = linear(w, "model.per_layer_model_projection", h) / math.sqrt(config["hidden_size"])
    projected = rms(projected.reshape(len(ids), count, width), w["model.per_layer_projection_norm.weight"], eps)
    return (projected + table) / math.sqrt(2)


def routed(config, w, p, h):
    eps = config["rms_norm_eps"]
    at = rms(h, 1, eps) * w[p + ".router.scale"] / math.sqrt(config["hidden_size"])
    x = rms(h, w[p + ".pre_feedforward_layernorm_2.weight"], eps)

    def one(number, row):
        gate, up = np.split(w[p + ".experts.gate_up_proj"][number] @ x[row], 2)
        return w[p +
                 ".router.per_expert_scale"][number] * (w[p + ".experts.down_proj"][number] @ (gelu_tanh(gate) * up))

    return rms(experts(linear(w, p + ".router.proj", at), config["top_k_experts"], True, one),
               w[p + ".post_feedforward_layernorm_2.weight"], eps)


def gemma4(config, w, ids, neighbours=False, plain_values=False):
    """Mistakes: neighbours are rotated, values are not normalised."""
    eps, kinds = config["rms_norm_eps"], config["layer_types"]
    norm = lambda x, name: rms(x, w[name + ".weight"], eps)
    h = w["model.embed_tokens.weight"][ids] * math.sqrt(config["hidden_size"])
    own = own_embeddings(config, w, ids, h) if config["hidden_size_per_layer_input"] else None
    shared_from, kept = config["num_hidden_layers"] - config["num_kv_shared_layers"], {}
    for i, kind in enumerate(kinds):
        p = f"model.layers.{i}"
        windowed = kind == "sliding_attention"
        dim = config["head_dim"] if windowed else config["global_head_dim"]
        inv = frequencies(config["rope_parameters"][kind], dim)
        x = norm(h, p + ".input_layernorm")
        q = rotate(norm(heads(linear(w, p + ".self_attn.q_proj", x), dim), p + ".self_attn.q_norm"), inv, 1, neighbours)
        if i < shared_from:
            k = heads(linear(w, p + ".self_attn.k_proj", x), dim)
            v = k if config["attention_k_eq_v"] and not windowed else heads(linear(w, p + ".self_attn.v_proj", x), dim)
            k = rotate(norm(k, p + ".self_attn.k_norm"), inv, 1, neighbours)
            kept[kind] = k, v if plain_values else rms(v, 1, eps)
        k, v = kept[kind]
        mixed = linear(w, p + ".self_attn.o_proj", attend(q, k, v, 1.0, config["sliding_window"] if windowed else 0))
        h = h + norm(mixed, p + ".post_attention_layernorm")
        fed = gated_mlp(w, p + ".mlp", norm(h, p + ".pre_feedforward_layernorm"), gelu_tanh)
        if config["enable_moe_block"]:
            fed = norm(fed, p + ".post_feedforward_layernorm_1") + routed(config, w, p, h)
        h = h + norm(fed, p + ".post_feedforward_layernorm")
        if own is not None:
            made = linear(w, p + ".per_layer_projection",
                          gelu_tanh(linear(w, p + ".per_layer_input_gate", h)) * own[:, i])
            h = h + norm(made, p + ".post_per_layer_input_norm")
        h = h * w[p + ".layer_scalar"]
    cap = config["final_logit_softcapping"]
    return cap * np.tanh(norm(h, "model.norm") @ w["model.embed_tokens.weight"].T / cap)


gemma4.mistakes = {"pairs in the wrong order": {"neighbours": True}, "values as they are": {"plain_values": True}}


def model(seed, kinds, **more):
    config = {
        "architectures": ["Gemma4ForCausalLM"], "model_type": "gemma4_text", "hidden_size": DIM,
        "intermediate_size": FFN, "num_hidden_layers": len(kinds), "num_attention_heads": HEADS,
        "num_key_value_heads": 2, "head_dim": HEAD, "global_head_dim": FULL_HEAD, "num_global_key_value_heads": None,
        "max_position_embeddings": CONTEXT, "vocab_size": VOCABULARY, "rms_norm_eps": 1e-6,
        "hidden_activation": "gelu_pytorch_tanh", "sliding_window": WINDOW, "layer_types": kinds,
        "final_logit_softcapping": 30.0, "hidden_size_per_layer_input": 0, "attention_k_eq_v": False,
        "num_kv_shared_layers": 0, "enable_moe_block": False, "use_double_wide_mlp": False, "rope_parameters": {
            "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}
        }, **more
    }
    t = Tensors(seed)
    t.table("model.embed_tokens")
    t.norm("model.norm", DIM)
    own, numbers = config["hidden_size_per_layer_input"], config["num_experts"] if config["enable_moe_block"] else 0
    if own:
        t.table("model.embed_tokens_per_layer", columns=len(kinds) * own)
        t.matrix("model.per_layer_model_projection", len(kinds) * own, DIM)
        t.norm("model.per_layer_projection_norm", own)
    for i, kind in enumerate(kinds):
        p, full = f"model.layers.{i}", kind == "full_attention"
        dim = FULL_HEAD if full else HEAD
        for name in ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
                     "post_feedforward_layernorm"):
            t.norm(f"{p}.{name}", DIM)
        t.matrix(p + ".self_attn.q_proj", HEADS * dim, DIM)
        t.norm(p + ".self_attn.q_norm", dim)
        t.matrix(p + ".self_attn.o_proj", DIM, HEADS * dim)
        shared = i >= len(kinds) - config["num_kv_shared_layers"]
        # Files hold those of the last layers as well, which nobody reads.
        if not shared or i % 2:
            count = (config["num_global_key_value_heads"]
                     if full and config["attention_k_eq_v"] else None) or config["num_key_value_heads"]
            t.matrix(p + ".self_attn.k_proj", count * dim, DIM)
            t.norm(p + ".self_attn.k_norm", dim)
            if not (full and config["attention_k_eq_v"]):
                t.matrix(p + ".self_attn.v_proj", count * dim, DIM)
        gated(t, p + ".mlp", FFN * (2 if config["use_double_wide_mlp"] and shared else 1))
        t[p + ".layer_scalar"] = t.random.uniform(0.5, 1.5, 1)
        if own:
            t.matrix(p + ".per_layer_input_gate", own, DIM)
            t.matrix(p + ".per_layer_projection", DIM, own)
            t.norm(p + ".post_per_layer_input_norm", DIM)
        if numbers:
            for name in ("post_feedforward_layernorm_1", "pre_feedforward_layernorm_2", "post_feedforward_layernorm_2"):
                t.norm(f"{p}.{name}", DIM)
            t.matrix(p + ".router.proj", numbers, DIM)
            t[p + ".router.scale"] = t.random.normal(1, 0.2, DIM)
            t[p + ".router.per_expert_scale"] = t.random.uniform(0.5, 1.5, numbers)
            t[p + ".experts.gate_up_proj"] = t.random.normal(0, 0.2, (numbers, 48, DIM))
            t[p + ".experts.down_proj"] = t.random.normal(0, 0.2, (numbers, DIM, 24))
    return Model(config, t, gemma4)


WINDOWED, FULL = "sliding_attention", "full_attention"


def gemma4_dense():
    """Values of full layers are their keys, which are fewer."""
    return model(41, [WINDOWED, WINDOWED, FULL], attention_k_eq_v=True, num_global_key_value_heads=1)


def gemma4_small():
    """The last layers read others' keys and values; all have embeddings of their own."""
    return model(42, [WINDOWED, WINDOWED, FULL, WINDOWED, FULL],
                 num_kv_shared_layers=2,
                 use_double_wide_mlp=True,
                 hidden_size_per_layer_input=OWN)


def gemma4_experts():
    """As transformers saves it since its version 5: what full layers have of their own stands by their numbers."""
    made = model(43, [WINDOWED, FULL],
                 enable_moe_block=True,
                 num_experts=6,
                 top_k_experts=2,
                 moe_intermediate_size=24,
                 attention_k_eq_v=True,
                 num_global_key_value_heads=1)
    config = dict(made.config)
    known = {key: config.pop(key) for key in ("global_head_dim", "num_global_key_value_heads")}
    config["per_layer_config"] = {"1": {"head_dim": known["global_head_dim"], "num_key_value_heads": 1}}

    def text(own, w, ids, **other):
        return gemma4({**own, **known}, w, ids, **other)
    text.mistakes = gemma4.mistakes
    return Model(config, made.tensors, text)


def gemma4_with_images():
    """The text model inside a model of text, images and sounds."""
    inner = gemma4_dense()
    config = {"architectures": ["Gemma4ForConditionalGeneration"], "model_type": "gemma4", "text_config": inner.config}
    del inner.config["architectures"]
    tensors = {name.replace("model.", "model.language_model.", 1): values for name, values in inner.tensors.items()}
    tensors["model.vision_tower.encoder.layers.0.mlp.up_proj.linear.weight"] = np.ones((2, 3))
    tensors["model.embed_vision.embedding_projection.weight"] = np.ones((2, 3))

    def text(config, w, ids, **other):
        own = {
            name.replace("model.language_model.", "model."): values
            for name, values in w.items()
            if "language_model" in name
        }
        return gemma4(config["text_config"], own, ids, **other)
    text.mistakes = gemma4.mistakes
    return Model(config, tensors, text)


MODELS = {each.__name__: each for each in (gemma4_dense, gemma4_small, gemma4_experts, gemma4_with_images)}
