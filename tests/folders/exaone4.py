"""EXAONE 4.0: the equations of transformers' modeling_exaone4.py in double precision, and small models with random
weights."""
from equations import attend, frequencies, gated, heads, linear, output, rms, rotate
from tiny_models import DIM, HEADS, Model, Tensors, attention, around, usual
from tiny_models import gated as add_gated


def exaone4_logits(config, w, ids, neighbours=False, before=False):
    """Mistakes: neighbours are rotated, norms stand before what they are behind."""
    eps, dim, window = config["rms_norm_eps"], config["hidden_size"] // config["num_attention_heads"], config[
        "sliding_window"]
    inv, _ = frequencies(config, dim)
    norm = lambda x, name: rms(x, w[name + ".weight"], eps)
    h = w["model.embed_tokens.weight"][ids]
    for i, kind in enumerate(config["layer_types"]):
        p, windowed = f"model.layers.{i}", kind == "sliding_attention"
        x = norm(h, p + ".post_attention_layernorm") if before else h
        q, k, v = (heads(linear(w, f"{p}.self_attn.{n}_proj", x), dim) for n in "qkv")
        q, k = norm(q, p + ".self_attn.q_norm"), norm(k, p + ".self_attn.k_norm")
        if not window or windowed:
            q, k = rotate(q, inv, 1, neighbours), rotate(k, inv, 1, neighbours)
        mixed = linear(w, p + ".self_attn.o_proj", attend(q, k, v, dim ** -0.5, window if windowed else 0))
        h = h + (mixed if before else norm(mixed, p + ".post_attention_layernorm"))
        h = h + norm(gated(w, p + ".mlp", h), p + ".post_feedforward_layernorm")
    return output(config, w, norm(h, "model.norm"))


exaone4_logits.mistakes = {"pairs in the wrong order": {"neighbours": True}, "norms before": {"before": True}}


def exaone4(kinds=("full_attention",) * 3, seed=66, window=None):
    config = usual("Exaone4ForCausalLM",
                   num_hidden_layers=len(kinds),
                   layer_types=list(kinds),
                   sliding_window=window,
                   intermediate_size=32)
    t = Tensors(seed)
    around(t, config)
    for i in range(len(kinds)):
        p = f"model.layers.{i}"
        t.norm(p + ".post_attention_layernorm", DIM)
        t.norm(p + ".post_feedforward_layernorm", DIM)
        attention(t, p)
        t.norm(p + ".self_attn.q_norm", DIM // HEADS)
        t.norm(p + ".self_attn.k_norm", DIM // HEADS)
        add_gated(t, p + ".mlp", 32)
    return Model(config, t, exaone4_logits)


def exaone4_windows():
    """The model of 64 layers."""
    return exaone4((*(["sliding_attention"] * 3), "full_attention") * 16, 67, 8)


MODELS = {each.__name__: each for each in (exaone4, exaone4_windows)}
