"""Command R7B: the equations of transformers' modeling_cohere2.py in double precision, and a small model with random
weights."""
from equations import attend, frequencies, gated, heads, layer_norm, linear, rotate
from tiny_models import DIM, Model, Tensors, attention, usual
from tiny_models import gated as add_gated


def cohere2_logits(config, w, ids, halves=False, everywhere=False):
    """Mistakes: halves are rotated, layers without windows have positions."""
    eps, dim = config["layer_norm_eps"], config["hidden_size"] // config["num_attention_heads"]
    inv, _ = frequencies(config, dim)
    norm = lambda x, name: layer_norm(x, w[name + ".weight"], 0, eps)
    h = w["model.embed_tokens.weight"][ids]
    for i, kind in enumerate(config["layer_types"]):
        p, windowed = f"model.layers.{i}", kind == "sliding_attention"
        x = norm(h, p + ".input_layernorm")
        q, k, v = (heads(linear(w, f"{p}.self_attn.{n}_proj", x), dim) for n in "qkv")
        if windowed or everywhere:
            q, k = rotate(q, inv, 1, not halves), rotate(k, inv, 1, not halves)
        mixed = attend(q, k, v, dim ** -0.5, config["sliding_window"] if windowed else 0)
        h = h + linear(w, p + ".self_attn.o_proj", mixed) + gated(w, p + ".mlp", x)
    return norm(h, "model.norm") @ w["model.embed_tokens.weight"].T * config["logit_scale"]


cohere2_logits.mistakes = {"pairs in the wrong order": {"halves": True}, "positions everywhere": {"everywhere": True}}


def cohere2():
    kinds = ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"]
    config = usual("Cohere2ForCausalLM",
                   num_hidden_layers=4,
                   layer_types=kinds,
                   sliding_window=8,
                   layer_norm_eps=1e-5,
                   logit_scale=0.25)
    del config["rms_norm_eps"], config["tie_word_embeddings"]
    t = Tensors(65)
    t.table("model.embed_tokens")
    t.norm("model.norm", DIM)
    for i in range(4):
        t.norm(f"model.layers.{i}.input_layernorm", DIM)
        attention(t, f"model.layers.{i}")
        add_gated(t, f"model.layers.{i}.mlp")
    return Model(config, t, cohere2_logits)


MODELS = {"cohere2": cohere2}
