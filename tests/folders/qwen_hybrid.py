"""Qwen3-Next and Qwen3.5: the equations of transformers' modeling_qwen3_next.py, modeling_qwen3_5.py and
modeling_qwen3_5_moe.py in double precision, token by token, and small models with random weights."""
import numpy as np

from equations import (attend, causal_conv, experts, frequencies, gated, heads, linear, output, rms, rotate, sigmoid,
                       silu)
from tiny_models import CONTEXT, DIM, FFN, HEADS, KV_HEADS, VOCABULARY, Model, Tensors
from tiny_models import gated as add_gated

HEAD, KEY_HEADS, VALUE_HEADS, KEY_DIM, VALUE_DIM, KERNEL, EXPERTS, EXPERT_DIM = 16, 2, 6, 16, 8, 4, 6, 24


def unit(x):
    return x / np.sqrt((x * x).sum(-1, keepdims=True) + 1e-6)


def projections(config, w, p, x):
    """What goes into the convolution (all queries, all keys, all values), and the gates, rates and steps of value
    heads."""
    if p + ".in_proj_qkv.weight" in w:
        return [linear(w, f"{p}.in_proj_{name}", x) for name in ("qkv", "z", "b", "a")]
    count, key, each = config["linear_num_key_heads"], config[
        "linear_key_head_dim"], config["linear_num_value_heads"] // config["linear_num_key_heads"]
    wide = each * config["linear_value_head_dim"]
    by_head = linear(w, p + ".in_proj_qkvz", x).reshape(len(x), count, -1)
    q, k, v, z = (part.reshape(len(x), -1) for part in np.split(by_head, [key, 2 * key, 2 * key + wide], -1))
    b, a = (part.reshape(len(x), -1)
            for part in np.split(linear(w, p + ".in_proj_ba", x).reshape(len(x), count, -1), 2, -1))
    return np.concatenate([q, k, v], -1), z, b, a


def delta_net(config, w, p, x, by_turns):
    count, values = config["linear_num_key_heads"], config["linear_num_value_heads"]
    dim, wide = config["linear_key_head_dim"], config["linear_value_head_dim"]
    mixed, z, b, a = projections(config, w, p, x)
    mixed = silu(causal_conv(mixed, w[p + ".conv1d.weight"]))
    q, k, v = np.split(mixed, [count * dim, 2 * count * dim], -1)
    of = np.arange(values) % count if by_turns else np.arange(values) // (values // count)
    q, k, v = unit(heads(q, dim))[:, of] / np.sqrt(dim), unit(heads(k, dim))[:, of], heads(v, wide)
    decay = np.exp(-np.exp(w[p + ".A_log"]) * np.log1p(np.exp(a + w[p + ".dt_bias"])))
    rate = sigmoid(b)
    state, rows = np.zeros((values, dim, wide)), []
    for t in range(len(x)):
        state = state * decay[t][:, None, None]
        change = rate[t][:, None] * (v[t] - np.einsum("hkv,hk->hv", state, k[t]))
        state = state + k[t][:, :, None] * change[:, None, :]
        rows.append(np.einsum("hkv,hk->hv", state, q[t]))
    y = rms(np.array(rows), w[p + ".norm.weight"], config["rms_norm_eps"]) * silu(heads(z, wide))
    return linear(w, p + ".out_proj", y.reshape(len(x), -1))


def attention(config, w, p, x, neighbours):
    dim, eps, rope = config["head_dim"], config["rms_norm_eps"], config.get("rope_parameters") or config
    inv, _ = frequencies(config, int(dim * rope["partial_rotary_factor"]), rope["rope_theta"], {})
    q, gate = np.split(linear(w, p + ".q_proj", x).reshape(len(x), -1, 2 * dim), 2, -1)
    q = rotate(rms(q, 1 + w[p + ".q_norm.weight"], eps), inv, 1, neighbours)
    k = rotate(rms(heads(linear(w, p + ".k_proj", x), dim), 1 + w[p + ".k_norm.weight"], eps), inv, 1, neighbours)
    mixed = attend(q, k, heads(linear(w, p + ".v_proj", x), dim), dim ** -0.5)
    return linear(w, p + ".o_proj", mixed * sigmoid(gate.reshape(len(x), -1)))


def feed_forward(config, w, p, x):
    if "num_experts" not in config:
        return gated(w, p, x)

    def one(number, row):
        if p + ".experts.gate_up_proj" not in w:
            return gated(w, f"{p}.experts.{number}", x[row:row + 1])[0]
        gate, up = np.split(w[p + ".experts.gate_up_proj"][number] @ x[row], 2)
        return w[p + ".experts.down_proj"][number] @ (silu(gate) * up)
    fed = experts(linear(w, p + ".gate", x), config["num_experts_per_tok"], True, one)
    return fed + sigmoid(linear(w, p + ".shared_expert_gate", x)) * gated(w, p + ".shared_expert", x)


def hybrid(config, w, ids, neighbours=False, by_turns=False, plain_norms=False):
    """Mistakes: neighbours are rotated, value heads take key heads by turns, norms multiply by their weight alone."""
    eps = config["rms_norm_eps"]
    norm = lambda x, name: rms(x, w[name + ".weight"] + (0 if plain_norms else 1), eps)
    h = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = norm(h, p + ".input_layernorm")
        recurrent = p + ".linear_attn.A_log" in w
        h = h + (delta_net(config, w, p + ".linear_attn", x, by_turns) if recurrent else attention(
            config, w, p + ".self_attn", x, neighbours))
        h = h + feed_forward(config, w, p + ".mlp", norm(h, p + ".post_attention_layernorm"))
    return output(config, w, norm(h, "model.norm"))


hybrid.mistakes = {
    "pairs in the wrong order": {"neighbours": True}, "key heads by turns": {"by_turns": True},
    "norms without 1 +": {"plain_norms": True}
}


def model(seed, architecture, layers, by_head=False, experts_fused=None, **more):
    config = {
        "architectures": [architecture], "hidden_size": DIM, "num_hidden_layers": layers, "num_attention_heads": HEADS,
        "num_key_value_heads": KV_HEADS, "head_dim": HEAD, "max_position_embeddings": CONTEXT, "vocab_size": VOCABULARY,
        "rms_norm_eps": 1e-6, "hidden_act": "silu", "linear_conv_kernel_dim": KERNEL, "linear_num_key_heads": KEY_HEADS,
        "linear_num_value_heads": VALUE_HEADS, "linear_key_head_dim": KEY_DIM, "linear_value_head_dim": VALUE_DIM,
        "tie_word_embeddings": False, **more
    }
    if experts_fused is None:
        config["intermediate_size"] = FFN
    else:
        config.update(num_experts=EXPERTS,
                      num_experts_per_tok=2,
                      moe_intermediate_size=EXPERT_DIM,
                      shared_expert_intermediate_size=40)
    t = Tensors(seed)
    t.table("model.embed_tokens")
    t.table("lm_head")
    # Products of float32 in layers whose states are read again and again: of larger logits they are too far from
    # those of float64.
    t["lm_head.weight"] *= 0.2
    t.norm("model.norm", DIM, 0.0)
    keys, values = KEY_HEADS * KEY_DIM, VALUE_HEADS * VALUE_DIM
    for i in range(layers):
        p = f"model.layers.{i}"
        t.norm(p + ".input_layernorm", DIM, 0.0)
        t.norm(p + ".post_attention_layernorm", DIM, 0.0)
        if (i + 1) % 4:
            a = p + ".linear_attn"
            if by_head:
                t.matrix(a + ".in_proj_qkvz", 2 * keys + 2 * values, DIM)
                t.matrix(a + ".in_proj_ba", 2 * VALUE_HEADS, DIM)
            else:
                for name, rows in (("qkv", 2 * keys + values), ("z", values), ("b", VALUE_HEADS), ("a", VALUE_HEADS)):
                    t.matrix(f"{a}.in_proj_{name}", rows, DIM)
            t[a + ".conv1d.weight"] = t.random.normal(0, 0.5, (2 * keys + values, 1, KERNEL))
            t[a + ".A_log"] = np.log(t.random.uniform(0.1, 4, VALUE_HEADS))
            t[a + ".dt_bias"] = t.random.normal(0, 0.5, VALUE_HEADS)
            t.norm(a + ".norm", VALUE_DIM)
            t.matrix(a + ".out_proj", DIM, values)
        else:
            a = p + ".self_attn"
            t.matrix(a + ".q_proj", 2 * HEADS * HEAD, DIM)
            t.matrix(a + ".k_proj", KV_HEADS * HEAD, DIM)
            t.matrix(a + ".v_proj", KV_HEADS * HEAD, DIM)
            t.matrix(a + ".o_proj", DIM, HEADS * HEAD)
            t.norm(a + ".q_norm", HEAD, 0.0)
            t.norm(a + ".k_norm", HEAD, 0.0)
        if experts_fused is None:
            add_gated(t, p + ".mlp")
            continue
        t.matrix(p + ".mlp.gate", EXPERTS, DIM)
        t.matrix(p + ".mlp.shared_expert_gate", 1, DIM)
        add_gated(t, p + ".mlp.shared_expert", 40)
        if experts_fused:
            t[p + ".mlp.experts.gate_up_proj"] = t.random.normal(0, 0.2, (EXPERTS, 2 * EXPERT_DIM, DIM))
            t[p + ".mlp.experts.down_proj"] = t.random.normal(0, 0.2, (EXPERTS, DIM, EXPERT_DIM))
        else:
            for e in range(EXPERTS):
                add_gated(t, f"{p}.mlp.experts.{e}", EXPERT_DIM)
    # Guesses of further tokens, which nobody asks for.
    t["mtp.fc.weight"] = np.ones((2, 4))
    return Model(config, t, hybrid)


ROPE = {
    "rope_type": "default", "rope_theta": 1e7, "partial_rotary_factor": 0.25, "mrope_interleaved": True,
    "mrope_section": [1, 1, 0]
}


def qwen3_next():
    return model(51,
                 "Qwen3NextForCausalLM",
                 5,
                 by_head=True,
                 experts_fused=False,
                 rope_theta=1e7,
                 partial_rotary_factor=0.25,
                 rope_scaling=None,
                 full_attention_interval=4,
                 norm_topk_prob=True,
                 decoder_sparse_step=1,
                 mlp_only_layers=[])


def qwen35():
    """The text model inside a model of text and images."""
    inner = model(52,
                  "",
                  5,
                  rope_parameters=ROPE,
                  attn_output_gate=True,
                  layer_types=["linear_attention"] * 3 + ["full_attention", "linear_attention"])
    config = {
        "architectures": ["Qwen3_5ForConditionalGeneration"], "model_type": "qwen3_5", "text_config": inner.config
    }
    del inner.config["architectures"]
    tensors = {name.replace("model.", "model.language_model.", 1): values for name, values in inner.tensors.items()}
    tensors["model.visual.patch_embed.proj.weight"] = np.ones((2, 3))

    def text(config, w, ids, **other):
        return hybrid(config["text_config"],
                      {name.replace("model.language_model.", "model."): values for name, values in w.items()}, ids,
                      **other)
    text.mistakes = hybrid.mistakes
    return Model(config, tensors, text)


def qwen35_moe():
    return model(53, "Qwen3_5MoeForCausalLM", 4, experts_fused=True, rope_parameters=ROPE, full_attention_interval=4)


def as_mlx(inner):
    """As MLX converts it: 1 more in norms, kernels in another order, experts in one tensor for each part."""
    norms = ("model.norm.weight", "layernorm.weight", "q_norm.weight", "k_norm.weight")
    tensors = {}
    for name, values in inner.tensors.items():
        if name.startswith("mtp."):
            continue
        if name.endswith(norms):
            values = values + 1
        if name.endswith("conv1d.weight"):
            values = values.transpose(0, 2, 1)
        part = name.split(".experts.")
        if len(part) == 2 and part[1] == "gate_up_proj":
            for half, rows in zip(("gate", "up"), np.split(values, 2, 1)):
                tensors[f"{part[0]}.switch_mlp.{half}_proj.weight"] = rows
        elif len(part) == 2 and part[1] == "down_proj":
            tensors[part[0] + ".switch_mlp.down_proj.weight"] = values
        elif len(part) == 2:
            matrix = part[1].split(".", 1)[1]
            tensors[f"{part[0]}.switch_mlp.{matrix}"] = np.stack(
                [inner.tensors[f"{part[0]}.experts.{e}.{matrix}"] for e in range(EXPERTS)])
        else:
            tensors[name] = values

    def original(config, w, ids, **other):
        # float32 of 1 + weight is what they hold.
        own = {name: values.astype(np.float32).astype(np.float64) for name, values in inner.tensors.items()}
        own.update({name: w[name] - 1 for name in w if name.endswith(norms)})
        return inner.equations(config, own, ids, **other)
    original.mistakes = getattr(inner.equations, "mistakes", {})
    return Model(inner.config, tensors, original)


def qwen3_next_mlx():
    return as_mlx(qwen3_next())


def qwen35_moe_mlx():
    return as_mlx(qwen35_moe())


MODELS = {each.__name__: each for each in (qwen3_next, qwen35, qwen35_moe, qwen3_next_mlx, qwen35_moe_mlx)}
