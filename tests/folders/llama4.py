"""Llama 4: the equations of transformers' modeling_llama4.py in double precision, and a small model with random
weights."""
import numpy as np

from equations import attend, frequencies, gated, heads, linear, output, rms, rotate, sigmoid, silu
from tiny_models import DIM, FFN, HEADS, Model, Tensors, around, attention, usual
from tiny_models import gated as add_gated

EXPERTS, EXPERT_DIM, LAYERS = 4, 48, 4


def mixture(config, w, p, x, weighed_last=False):
    """Shares multiply what experts read. Mistake: what they give."""
    scores, out = linear(w, p + ".router", x), gated(w, p + ".shared_expert", x)
    for row in range(len(x)):
        for e in np.argsort(-scores[row])[:config["num_experts_per_tok"]]:
            share = sigmoid(scores[row, e])
            read = x[row] if weighed_last else x[row] * share
            gate, up = np.split(read @ w[p + ".experts.gate_up_proj"][e], 2)
            given = (up * silu(gate)) @ w[p + ".experts.down_proj"][e]
            out[row] += given * share if weighed_last else given
    return out


def llama4(config, w, ids, neighbours=True, weighed_last=False, bare_heads=False,
           unscaled=False):
    dim, eps = config["head_dim"], config["rms_norm_eps"]
    inv, _ = frequencies({**config, "rope_scaling": {}} if unscaled else config, dim)
    h = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = rms(h, w[p + ".input_layernorm.weight"], eps)
        q, k, v = (heads(linear(w, f"{p}.self_attn.{n}_proj", x), dim) for n in "qkv")
        if config["no_rope_layers"][i]:
            q, k = rotate(q, inv, 1, neighbours), rotate(k, inv, 1, neighbours)
            if not bare_heads:
                q, k = rms(q, 1, eps), rms(k, 1, eps)
        h = h + linear(w, p + ".self_attn.o_proj", attend(q, k, v, dim ** -0.5))
        x = rms(h, w[p + ".post_attention_layernorm.weight"], eps)
        p += ".feed_forward"
        h = h + (mixture(config, w, p, x, weighed_last) if i in config["moe_layers"] else gated(w, p, x))
    return output(config, w, rms(h, w["model.norm.weight"], eps))


llama4.mistakes = {"pairs in the wrong order": {"neighbours": False}, "shares behind experts": {"weighed_last": True},
                   "heads as they are": {"bare_heads": True}, "positions as they are": {"unscaled": True}}


def llama4_text():
    config = usual("Llama4ForCausalLM",
                   model_type="llama4_text",
                   head_dim=DIM // HEADS,
                   num_hidden_layers=LAYERS,
                   intermediate_size=EXPERT_DIM,
                   intermediate_size_mlp=FFN,
                   num_local_experts=EXPERTS,
                   num_experts_per_tok=2,
                   interleave_moe_layer_step=2,
                   moe_layers=[1, 3],
                   no_rope_layers=[1, 1, 1, 0],
                   use_qk_norm=True,
                   attention_chunk_size=8192,
                   attn_temperature_tuning=True,
                   floor_scale=8192,
                   attn_scale=0.1,
                   rope_scaling={"rope_type": "llama3", "factor": 16.0, "low_freq_factor": 1.0,
                                 "high_freq_factor": 1.0, "original_max_position_embeddings": 16})
    t = Tensors(81)
    around(t, config)
    for i in range(LAYERS):
        p = f"model.layers.{i}"
        for name in ("input_layernorm", "post_attention_layernorm"):
            t.norm(f"{p}.{name}", DIM)
        attention(t, p)
        p += ".feed_forward"
        if i not in config["moe_layers"]:
            add_gated(t, p)
            continue
        t.matrix(p + ".router", EXPERTS, DIM)
        add_gated(t, p + ".shared_expert", EXPERT_DIM)
        t[p + ".experts.gate_up_proj"] = t.random.normal(0, 0.2, (EXPERTS, DIM, 2 * EXPERT_DIM))
        t[p + ".experts.down_proj"] = t.random.normal(0, 0.2, (EXPERTS, EXPERT_DIM, DIM))
    return Model(config, t, llama4)


def llama4_with_images():
    """The text model inside one of text and images; as early configurations have it."""
    inner = llama4_text()
    text_config = {**inner.config, "no_rope_layers": [], "attn_temperature_tuning": 4}
    del text_config["architectures"], text_config["moe_layers"]
    config = {"architectures": ["Llama4ForConditionalGeneration"], "model_type": "llama4", "text_config": text_config}
    tensors = {"language_model." + name: values for name, values in inner.tensors.items()}
    tensors["vision_model.class_embedding"] = np.ones(3)
    tensors["multi_modal_projector.linear_1.weight"] = np.ones((2, 3))

    def text(config, w, ids, **other):
        own = {
            name.removeprefix("language_model."): values
            for name, values in w.items()
            if name.startswith("language_model.")
        }
        return llama4(inner.config, own, ids, **other)
    text.mistakes = llama4.mistakes
    return Model(config, tensors, text)


MODELS = {each.__name__: each for each in (llama4_text, llama4_with_images)}
