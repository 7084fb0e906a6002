"""Models in double precision, by the names of their tensors in Hugging Face's files and the equations of
transformers' modeling files.

Each function takes config (config.json), w (tensors by name) and ids, and gives the logits of every position. Nothing
here knows GGUF.
"""
import math

import numpy as np


def rms(x, gain, eps):
    return x / np.sqrt(np.mean(x * x, -1, keepdims=True) + eps) * gain


def layer_norm(x, gain, bias, eps):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, -1, keepdims=True) + eps) * gain + bias


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def silu(x):
    return x * sigmoid(x)


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def linear(w, name, x):
    y = x @ w[name + ".weight"].T
    return y + w[name + ".bias"] if name + ".bias" in w else y


def frequencies(config, dims, base=None, scaling=None):
    """Inverse frequencies and the magnitude of cosines and sines: modeling_rope_utils.py."""
    base = base or config.get("rope_theta", 10000.0)
    scaling = scaling if scaling is not None else config.get("rope_scaling") or {}
    inv = base ** (-np.arange(0, dims, 2) / dims)
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind == "linear":
        return inv / scaling["factor"], 1.0
    if kind == "llama3":
        factor, low, high, old = (
            scaling[k] for k in ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"))
        waves = 2 * math.pi / inv
        smooth = (old / waves - low) / max(high - low, 1e-30)  # where both are one, nothing lies between
        middle = (1 - smooth) * inv / factor + smooth * inv
        out = np.where(waves > old / low, inv / factor, inv)
        return np.where((waves <= old / low) & (waves >= old / high), middle, out), 1.0
    if kind == "yarn":
        factor, old = scaling["factor"], scaling["original_max_position_embeddings"]
        place = lambda turns: dims * math.log(old / (turns * 2 * math.pi)) / (2 * math.log(base))
        down, up = (math.floor, math.ceil) if scaling.get("truncate", True) else (float, float)
        low, high = max(down(place(32)), 0), min(up(place(1)), dims - 1)
        ramp = np.clip((np.arange(dims // 2) - low) / max(high - low, 0.001), 0, 1)
        get = lambda m: 0.1 * m * math.log(factor) + 1
        if "mscale" in scaling and "mscale_all_dim" in scaling:
            magnitude = get(scaling["mscale"]) / get(scaling["mscale_all_dim"])
        else:
            magnitude = get(1)
        return inv / factor * ramp + inv * (1 - ramp), magnitude
    if kind == "longrope":
        old, new = config["original_max_position_embeddings"], config["max_position_embeddings"]
        return inv / np.array(scaling["short_factor"]), math.sqrt(1 + math.log(new / old) / math.log(old))
    return inv, 1.0


def rotate(x, inv, magnitude=1.0, neighbours=False):
    """x: [tokens, heads, dim]; rotates the first 2 * len(inv) numbers of each head."""
    dims, half = 2 * len(inv), len(inv)
    angles = np.arange(len(x))[:, None] * inv[None, :]
    cos, sin = (np.cos(angles) * magnitude)[:, None, :], (np.sin(angles) * magnitude)[:, None, :]
    y = x.copy()
    if neighbours:
        a, b = x[..., 0:dims:2], x[..., 1:dims:2]
        y[..., 0:dims:2], y[..., 1:dims:2] = a * cos - b * sin, b * cos + a * sin
    else:
        a, b = x[..., :half], x[..., half:dims]
        y[..., :half], y[..., half:dims] = a * cos - b * sin, b * cos + a * sin
    return y


def attend(q, k, v, scale, window=0, cap=0.0, alibi=None, sinks=None):
    """q: [tokens, heads, dim]; k, v: [tokens, fewer heads, dim]; sinks: a score of each head that has no value. Gives
    [tokens, heads * dim]."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = np.einsum("ihd,jhd->hij", q, k) * scale
    if cap:
        scores = cap * np.tanh(scores / cap)
    behind = np.arange(len(q))[:, None] - np.arange(len(q))[None, :]
    if alibi is not None:
        scores = scores - alibi[:, None, None] * behind
    visible = (behind >= 0) & ((behind < window) if window else True)
    scores = np.where(visible, scores, -np.inf)
    if sinks is not None:
        scores = np.concatenate([scores, np.broadcast_to(sinks[:, None, None], (*scores.shape[:2], 1))], -1)
    shares = softmax(scores)[..., :len(q)]
    return np.einsum("hij,jhd->ihd", shares, v).reshape(len(q), -1)


def heads(x, dim):
    return x.reshape(len(x), -1, dim)


def gated(w, prefix, x, act=silu, names=("gate_proj", "up_proj", "down_proj")):
    gate, up, down = (f"{prefix}.{name}" for name in names)
    return linear(w, down, act(linear(w, gate, x)) * linear(w, up, x))


def output(config, w, h, table="model.embed_tokens.weight"):
    head = "lm_head.weight"
    return h @ (w[table] if config.get("tie_word_embeddings") or head not in w else w[head]).T


def llama(config, w, ids, neighbours=False, ffn=None, qk_norm=False, scale_q=None):
    """modeling_llama.py, and with arguments what Mistral, Mixtral, Qwen and others change in it."""
    dim = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    eps = config["rms_norm_eps"]
    inv, magnitude = frequencies(config, dim, scaling=config.get("rope_parameters"))
    h = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = rms(h, w[p + ".input_layernorm.weight"], eps)
        q, k, v = (heads(linear(w, f"{p}.self_attn.{n}_proj", x), dim) for n in "qkv")
        if qk_norm:
            q, k = rms(q, w[p + ".self_attn.q_norm.weight"], eps), rms(k, w[p + ".self_attn.k_norm.weight"], eps)
        q, k = rotate(q, inv, magnitude, neighbours), rotate(k, inv, magnitude, neighbours)
        if scale_q is not None:
            q = q * scale_q(np.arange(len(q)))[:, None, None]
        h = h + linear(w, p + ".self_attn.o_proj", attend(q, k, v, dim ** -0.5))
        x = rms(h, w[p + ".post_attention_layernorm.weight"], eps)
        h = h + (ffn(config, w, p, x) if ffn else gated(w, p + ".mlp", x))
    return output(config, w, rms(h, w["model.norm.weight"], eps))


def experts(scores, used, renormalise, expert):
    """Sum of the chosen experts' answers, by their shares."""
    shares = softmax(scores)
    rows = []
    for share in range(len(scores)):
        chosen = np.argsort(-shares[share])[:used]
        weights = shares[share][chosen]
        if renormalise:
            weights = weights / weights.sum()
        rows.append(sum(weight * expert(number, share) for weight, number in zip(weights, chosen)))
    return np.array(rows)


def mixtral(config, w, ids, **other):
    def ffn(config, w, p, x):
        p += ".block_sparse_moe"
        one = lambda e, row: gated(w, f"{p}.experts.{e}", x[row:row + 1], names=("w1", "w3", "w2"))[0]
        return experts(linear(w, p + ".gate", x), config["num_experts_per_tok"], True, one)
    return llama(config, w, ids, ffn=ffn, **other)


def qwen3(config, w, ids, **other):
    return llama(config, w, ids, qk_norm=True, **other)


def qwen3_moe(config, w, ids, **other):
    def ffn(config, w, p, x):
        one = lambda e, row: gated(w, f"{p}.mlp.experts.{e}", x[row:row + 1])[0]
        return experts(linear(w, p + ".mlp.gate", x), config["num_experts_per_tok"], True, one)
    return llama(config, w, ids, ffn=ffn, qk_norm=True, **other)


def qwen2_moe(config, w, ids, **other):
    def ffn(config, w, p, x):
        one = lambda e, row: gated(w, f"{p}.mlp.experts.{e}", x[row:row + 1])[0]
        routed = experts(linear(w, p + ".mlp.gate", x), config["num_experts_per_tok"], False, one)
        return routed + sigmoid(linear(w, p + ".mlp.shared_expert_gate", x)) * gated(w, p + ".mlp.shared_expert", x)
    return llama(config, w, ids, ffn=ffn, **other)


def smollm3(config, w, ids, neighbours=False):
    """modeling_smollm3.py: every fourth layer has no positions."""
    dim, eps = config["hidden_size"] // config["num_attention_heads"], config["rms_norm_eps"]
    inv, _ = frequencies(config, dim)
    h = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = rms(h, w[p + ".input_layernorm.weight"], eps)
        q, k, v = (heads(linear(w, f"{p}.self_attn.{n}_proj", x), dim) for n in "qkv")
        if (i + 1) % 4:
            q, k = rotate(q, inv, 1, neighbours), rotate(k, inv, 1, neighbours)
        h = h + linear(w, p + ".self_attn.o_proj", attend(q, k, v, dim ** -0.5))
        h = h + gated(w, p + ".mlp", rms(h, w[p + ".post_attention_layernorm.weight"], eps))
    return output(config, w, rms(h, w["model.norm.weight"], eps))


def ministral3(config, w, ids, **other):
    scaling = config["rope_parameters"]
    grow = lambda at: 1 + scaling["llama_4_scaling_beta"] * np.log(1 + np.floor(at / scaling[
        "original_max_position_embeddings"]))
    return llama({**config, "rope_theta": scaling["rope_theta"]}, w, ids, scale_q=grow, **other)


def gemma(config, w, ids, neighbours=False):
    """modeling_gemma.py, modeling_gemma2.py, modeling_gemma3.py: their norms multiply by 1 + weight."""
    kind = config["model_type"]
    config = {**config, "tie_word_embeddings": True}
    dim, eps = config["head_dim"], config["rms_norm_eps"]
    norm = lambda x, name: rms(x, 1 + w[name + ".weight"], eps)
    scale = config.get("query_pre_attn_scalar", dim) ** -0.5
    everywhere = frequencies(config, dim)
    local = frequencies(config, dim, config.get("rope_local_base_freq"), {}) if kind == "gemma3_text" else everywhere
    h = w["model.embed_tokens.weight"][ids] * math.sqrt(config["hidden_size"])
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        period = {"gemma": 1, "gemma2": 2, "gemma3_text": config.get("sliding_window_pattern", 6)}[kind]
        is_local = (i + 1) % period != 0
        x = norm(h, p + ".input_layernorm")
        q, k, v = (heads(linear(w, f"{p}.self_attn.{n}_proj", x), dim) for n in "qkv")
        if kind == "gemma3_text":
            q, k = norm(q, p + ".self_attn.q_norm"), norm(k, p + ".self_attn.k_norm")
        inv, magnitude = local if is_local else everywhere
        q, k = rotate(q, inv, magnitude, neighbours), rotate(k, inv, magnitude, neighbours)
        x = linear(
            w, p + ".self_attn.o_proj",
            attend(q, k, v, scale,
                   config.get("sliding_window", 0) if is_local else 0,
                   config.get("attn_logit_softcapping") or 0))
        if kind == "gemma":
            h = h + x
            h = h + gated(w, p + ".mlp", norm(h, p + ".post_attention_layernorm"), gelu_tanh)
        else:
            h = h + norm(x, p + ".post_attention_layernorm")
            x = gated(w, p + ".mlp", norm(h, p + ".pre_feedforward_layernorm"), gelu_tanh)
            h = h + norm(x, p + ".post_feedforward_layernorm")
    logits = output(config, w, norm(h, "model.norm"))
    cap = config.get("final_logit_softcapping")
    return cap * np.tanh(logits / cap) if cap else logits


def gpt_oss(config, w, ids, neighbours=False):
    """modeling_gpt_oss.py: rows of gate and up by turns; w has experts' matrices as [experts, rows, columns]."""
    dim, eps = config["head_dim"], config["rms_norm_eps"]
    inv, magnitude = frequencies(config, dim)
    h = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = rms(h, w[p + ".input_layernorm.weight"], eps)
        q, k, v = (heads(linear(w, f"{p}.self_attn.{n}_proj", x), dim) for n in "qkv")
        q, k = rotate(q, inv, magnitude, neighbours), rotate(k, inv, magnitude, neighbours)
        window = config["sliding_window"] if config["layer_types"][i] == "sliding_attention" else 0
        h = h + linear(w, p + ".self_attn.o_proj", attend(q, k, v, dim**-0.5, window, sinks=w[p + ".self_attn.sinks"]))
        x = rms(h, w[p + ".post_attention_layernorm.weight"], eps)
        scores = linear(w, p + ".mlp.router", x)
        e = p + ".mlp.experts."
        for row in range(len(x)):
            chosen = np.argsort(-scores[row])[:config["num_experts_per_tok"]]
            for share, expert in zip(softmax(scores[row][chosen]), chosen):
                both = w[e + "gate_up_proj"][expert] @ x[row] + w[e + "gate_up_proj_bias"][expert]
                gate, up = np.minimum(both[::2], 7), np.clip(both[1::2], -7, 7)
                y = (up + 1) * gate * sigmoid(1.702 * gate)
                h[row] += share * (w[e + "down_proj"][expert] @ y + w[e + "down_proj_bias"][expert])
    return output(config, w, rms(h, w["model.norm.weight"], eps))


def phi3(config, w, ids, neighbours=False):
    """modeling_phi3.py."""
    dim, eps = config["hidden_size"] // config["num_attention_heads"], config["rms_norm_eps"]
    inv, magnitude = frequencies(config, int(dim * config.get("partial_rotary_factor", 1)))
    h = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = linear(w, p + ".self_attn.qkv_proj", rms(h, w[p + ".input_layernorm.weight"], eps))
        queries, keys = config["num_attention_heads"] * dim, config["num_key_value_heads"] * dim
        q, k, v = (heads(part, dim) for part in np.split(x, [queries, queries + keys], -1))
        q, k = rotate(q, inv, magnitude, neighbours), rotate(k, inv, magnitude, neighbours)
        h = h + linear(w, p + ".self_attn.o_proj", attend(q, k, v, dim ** -0.5, config.get("sliding_window") or 0))
        gate, up = np.split(linear(w, p + ".mlp.gate_up_proj", rms(h, w[p + ".post_attention_layernorm.weight"], eps)),
                            2, -1)
        h = h + linear(w, p + ".mlp.down_proj", up * silu(gate))
    return output(config, w, rms(h, w["model.norm.weight"], eps))


def glm4(config, w, ids, neighbours=True):
    """modeling_glm4.py: neighbours are rotated, half of each head."""
    dim, eps = config["head_dim"], config["rms_norm_eps"]
    inv, _ = frequencies(config, int(dim * config["partial_rotary_factor"]))
    norm = lambda x, name: rms(x, w[name + ".weight"], eps)
    h = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = norm(h, p + ".input_layernorm")
        q, k, v = (heads(linear(w, f"{p}.self_attn.{n}_proj", x), dim) for n in "qkv")
        q, k = rotate(q, inv, 1, neighbours), rotate(k, inv, 1, neighbours)
        h = h + norm(linear(w, p + ".self_attn.o_proj", attend(q, k, v, dim ** -0.5)), p + ".post_self_attn_layernorm")
        gate, up = np.split(linear(w, p + ".mlp.gate_up_proj", norm(h, p + ".post_attention_layernorm")), 2, -1)
        h = h + norm(linear(w, p + ".mlp.down_proj", up * silu(gate)), p + ".post_mlp_layernorm")
    return output(config, w, norm(h, "model.norm"))


def chatglm(config, w, ids, neighbours=True):
    """THUDM's modeling_chatglm.py of chatglm3-6b: neighbours are rotated, half of each head."""
    dim, eps = config["kv_channels"], config["layernorm_epsilon"]
    inv = (10000 * config.get("rope_ratio", 1)) ** (-np.arange(0, dim // 2, 2) / (dim // 2))
    h = w["transformer.embedding.word_embeddings.weight"][ids]
    for i in range(config["num_layers"]):
        p = f"transformer.encoder.layers.{i}"
        x = linear(w, p + ".self_attention.query_key_value", rms(h, w[p + ".input_layernorm.weight"], eps))
        queries, keys = config["num_attention_heads"] * dim, config["multi_query_group_num"] * dim
        q, k, v = (heads(part, dim) for part in np.split(x, [queries, queries + keys], -1))
        q, k = rotate(q, inv, 1, neighbours), rotate(k, inv, 1, neighbours)
        h = h + linear(w, p + ".self_attention.dense", attend(q, k, v, dim ** -0.5))
        gate, up = np.split(linear(w, p + ".mlp.dense_h_to_4h", rms(h, w[p + ".post_attention_layernorm.weight"], eps)),
                            2, -1)
        h = h + linear(w, p + ".mlp.dense_4h_to_h", silu(gate) * up)
    return rms(h, w["transformer.encoder.final_layernorm.weight"], eps) @ w["transformer.output_layer.weight"].T


def chatglm1(config, w, ids, neighbours=False):
    """THUDM's modeling_chatglm.py of chatglm-6b: two positions, one for each half of a head; the prompt sees all of
    itself."""
    count, eps = config["num_attention_heads"], config["layernorm_epsilon"]
    dim, alpha = config["hidden_size"] // count, math.sqrt(2 * config["num_layers"])
    context = ids.index(config["bos_token_id"])
    positions = np.minimum(np.arange(len(ids)), context - 1)
    blocks = np.maximum(np.arange(len(ids)) - context + 1, 0)
    inv = 10000.0 ** (-np.arange(0, dim // 2, 2) / (dim // 2))

    def turn(x, at):
        angles = at[:, None] * inv[None, :]
        cos, sin = np.cos(angles)[:, None, :], np.sin(angles)[:, None, :]
        a, b = (x[..., 0::2], x[..., 1::2]) if neighbours else np.split(x, 2, -1)
        pairs = (a * cos - b * sin, b * cos + a * sin)
        return np.stack(pairs, -1).reshape(x.shape) if neighbours else np.concatenate(pairs, -1)

    def norm(x, name):
        return layer_norm(x, w[name + ".weight"], w[name + ".bias"], eps)

    h = w["transformer.word_embeddings.weight"][ids]
    seen = (np.arange(len(ids))[None, :] < context) | (np.arange(len(ids))[None, :] <= np.arange(len(ids))[:, None])
    for i in range(config["num_layers"]):
        p = f"transformer.layers.{i}"
        x = norm(h, p + ".input_layernorm")
        q, k, v = np.split(linear(w, p + ".attention.query_key_value", x).reshape(len(ids), count, 3 * dim), 3, -1)
        q, k = (np.concatenate((turn(each[..., :dim // 2], positions), turn(each[..., dim // 2:], blocks)), -1)
                for each in (q, k))
        shares = softmax(np.where(seen, np.einsum("ihd,jhd->hij", q, k) * dim ** -0.5, -np.inf))
        h = x * alpha + linear(w, p + ".attention.dense", np.einsum("hij,jhd->ihd", shares, v).reshape(len(ids), -1))
        x = norm(h, p + ".post_attention_layernorm")
        h = x * alpha + linear(w, p + ".mlp.dense_4h_to_h", gelu_tanh(linear(w, p + ".mlp.dense_h_to_4h", x)))
    return norm(h, "transformer.final_layernorm") @ w["lm_head.weight"].T


def baichuan(config, w, ids, neighbours=False):
    """baichuan-inc's modeling_baichuan.py: 7B rotates, 13B has linear biases; the second's output rows have length
    1."""
    dim, eps = config["hidden_size"] // config["num_attention_heads"], config["rms_norm_eps"]
    rotated = "max_position_embeddings" in config
    inv = 10000.0 ** (-np.arange(0, dim, 2) / dim)
    count = config["num_attention_heads"]
    slopes = None if rotated else 2.0 ** (-8 / count * np.arange(1, count + 1))
    h = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = linear(w, p + ".self_attn.W_pack", rms(h, w[p + ".input_layernorm.weight"], eps))
        q, k, v = (heads(part, dim) for part in np.split(x, 3, -1))
        if rotated:
            q, k = rotate(q, inv, 1, neighbours), rotate(k, inv, 1, neighbours)
        elif neighbours:
            slopes = slopes[::-1]
        h = h + linear(w, p + ".self_attn.o_proj", attend(q, k, v, dim ** -0.5, alibi=slopes))
        h = h + gated(w, p + ".mlp", rms(h, w[p + ".post_attention_layernorm.weight"], eps))
    return output(config, w, rms(h, w["model.norm.weight"], eps))


def stablelm(config, w, ids, neighbours=False):
    """modeling_stablelm.py."""
    dim, eps = config["hidden_size"] // config["num_attention_heads"], config["layer_norm_eps"]
    inv, _ = frequencies(config, int(dim * config["partial_rotary_factor"]))
    norm = lambda x, name: layer_norm(x, w[name + ".weight"], w.get(name + ".bias", 0), eps)
    parallel, per_head = config.get("use_parallel_residual"), config.get("qk_layernorm")
    h = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = norm(h, p + ".input_layernorm")
        q, k, v = (heads(linear(w, f"{p}.self_attn.{n}_proj", x), dim) for n in "qkv")
        if per_head:
            q, k = (np.stack([norm(y[:, n], f"{p}.self_attn.{name}_layernorm.norms.{n}") for n in range(y.shape[1])], 1)
                    for y, name in ((q, "q"), (k, "k")))
        q, k = rotate(q, inv, 1, neighbours), rotate(k, inv, 1, neighbours)
        mixed = linear(w, p + ".self_attn.o_proj", attend(q, k, v, dim ** -0.5))
        if parallel:
            h = h + mixed + gated(w, p + ".mlp", x)
        else:
            h = h + mixed
            h = h + gated(w, p + ".mlp", norm(h, p + ".post_attention_layernorm"))
    return output(config, w, norm(h, "model.norm"))


def olmoe(config, w, ids, neighbours=False):
    """modeling_olmoe.py: whole rows of queries and keys are normalised; shares of experts do not add up to 1."""
    dim, eps = config["hidden_size"] // config["num_attention_heads"], config["rms_norm_eps"]
    inv, _ = frequencies(config, dim)
    h = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = rms(h, w[p + ".input_layernorm.weight"], eps)
        q, k, v = (linear(w, f"{p}.self_attn.{n}_proj", x) for n in "qkv")
        q, k = rms(q, w[p + ".self_attn.q_norm.weight"], eps), rms(k, w[p + ".self_attn.k_norm.weight"], eps)
        q, k = (rotate(heads(y, dim), inv, 1, neighbours) for y in (q, k))
        h = h + linear(w, p + ".self_attn.o_proj", attend(q, k, heads(v, dim), dim ** -0.5))
        x = rms(h, w[p + ".post_attention_layernorm.weight"], eps)
        one = lambda e, row: gated(w, f"{p}.mlp.experts.{e}", x[row:row + 1])[0]
        h = h + experts(linear(w, p + ".mlp.gate", x), config["num_experts_per_tok"], False, one)
    return output(config, w, rms(h, w["model.norm.weight"], eps))


def starcoder2(config, w, ids, neighbours=False):
    """modeling_starcoder2.py."""
    dim, eps = config["hidden_size"] // config["num_attention_heads"], config["norm_epsilon"]
    inv, _ = frequencies(config, dim)
    norm = lambda x, name: layer_norm(x, w[name + ".weight"], w[name + ".bias"], eps)
    h = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = norm(h, p + ".input_layernorm")
        q, k, v = (heads(linear(w, f"{p}.self_attn.{n}_proj", x), dim) for n in "qkv")
        q, k = rotate(q, inv, 1, neighbours), rotate(k, inv, 1, neighbours)
        h = h + linear(w, p + ".self_attn.o_proj", attend(q, k, v, dim ** -0.5))
        h = h + linear(w, p + ".mlp.c_proj",
                       gelu_tanh(linear(w, p + ".mlp.c_fc", norm(h, p + ".post_attention_layernorm"))))
    return output({"tie_word_embeddings": True}, w, norm(h, "model.norm"))


def causal_conv(x, kernel):
    """x: [tokens, channels]; kernel: [channels, 1, length]; zeros before the first token."""
    kernel = kernel[:, 0]
    padded = np.concatenate([np.zeros((kernel.shape[1] - 1, x.shape[1])), x])
    return sum(padded[k:k + len(x)] * kernel[:, k] for k in range(kernel.shape[1]))


def lfm2(config, w, ids, neighbours=False):
    """modeling_lfm2.py."""
    dim, eps = config["hidden_size"] // config["num_attention_heads"], config["norm_eps"]
    inv, _ = frequencies(config, dim, config["rope_theta"])
    h = w["model.embed_tokens.weight"][ids]
    for i, kind in enumerate(config["layer_types"]):
        p = f"model.layers.{i}"
        x = rms(h, w[p + ".operator_norm.weight"], eps)
        if kind == "full_attention":
            q, k, v = (heads(linear(w, f"{p}.self_attn.{n}_proj", x), dim) for n in "qkv")
            q, k = rms(q, w[p + ".self_attn.q_layernorm.weight"], eps), rms(k, w[p + ".self_attn.k_layernorm.weight"],
                                                                            eps)
            q, k = rotate(q, inv, 1, neighbours), rotate(k, inv, 1, neighbours)
            h = h + linear(w, p + ".self_attn.out_proj", attend(q, k, v, dim ** -0.5))
        else:
            b, c, u = np.split(linear(w, p + ".conv.in_proj", x), 3, -1)
            h = h + linear(w, p + ".conv.out_proj", c * causal_conv(b * u, w[p + ".conv.conv.weight"]))
        x = rms(h, w[p + ".ffn_norm.weight"], eps)
        h = h + gated(w, p + ".feed_forward", x, names=("w1", "w3", "w2"))
    return output(config, w, rms(h, w["model.embedding_norm.weight"], eps))


def mamba2(config, w, p, x):
    """The mixer of modeling_granitemoehybrid.py, token by token."""
    count, size, states, groups = (config["mamba_" + n] for n in ("n_heads", "d_head", "d_state", "n_groups"))
    inner = count * size
    z, mixed, step = np.split(linear(w, p + ".in_proj", x), [inner, 2 * inner + 2 * groups * states], -1)
    mixed = silu(causal_conv(mixed, w[p + ".conv1d.weight"]) + w[p + ".conv1d.bias"])
    u, b, c = np.split(mixed, [inner, inner + groups * states], -1)
    u = u.reshape(len(x), count, size)
    b, c = (np.repeat(y.reshape(len(x), groups, states), count // groups, 1) for y in (b, c))
    step = np.log1p(np.exp(step + w[p + ".dt_bias"]))
    decay = np.exp(step * -np.exp(w[p + ".A_log"]))
    state, rows = np.zeros((count, size, states)), []
    for t in range(len(x)):
        state = state * decay[t][:, None, None] + step[t][:, None, None] * u[t][:, :, None] * b[t][:, None, :]
        rows.append(np.einsum("hsn,hn->hs", state, c[t]) + w[p + ".D"][:, None] * u[t])
    y = np.array(rows).reshape(len(x), inner) * silu(z)
    return linear(w, p + ".out_proj", rms(y, w[p + ".norm.weight"], config["rms_norm_eps"]))


def granite_hybrid(config, w, ids, neighbours=False):
    """modeling_granitemoehybrid.py."""
    dim, eps, used = config["hidden_size"] // config["num_attention_heads"], config["rms_norm_eps"], config.get(
        "num_experts_per_tok", 0)
    inv, _ = frequencies(config, dim)
    residual = config["residual_multiplier"]
    h = w["model.embed_tokens.weight"][ids] * config["embedding_multiplier"]
    for i, kind in enumerate(config["layer_types"]):
        p = f"model.layers.{i}"
        x = rms(h, w[p + ".input_layernorm.weight"], eps)
        if kind in ("mamba", "linear_attention"):
            mixed = mamba2(config, w, p + ".mamba", x)
        else:
            q, k, v = (heads(linear(w, f"{p}.self_attn.{n}_proj", x), dim) for n in "qkv")
            if config["position_embedding_type"] == "rope":
                q, k = rotate(q, inv, 1, neighbours), rotate(k, inv, 1, neighbours)
            mixed = linear(w, p + ".self_attn.o_proj", attend(q, k, v, config["attention_multiplier"]))
        h = h + mixed * residual
        x = rms(h, w[p + ".post_attention_layernorm.weight"], eps)
        gate, up = np.split(linear(w, p + ".shared_mlp.input_linear", x), 2, -1)
        fed = linear(w, p + ".shared_mlp.output_linear", silu(gate) * up)
        if config.get("num_local_experts"):
            q = p + ".block_sparse_moe"

            def one(number, row):
                gate, up = np.split(w[q + ".input_linear.weight"][number] @ x[row], 2)
                return w[q + ".output_linear.weight"][number] @ (silu(gate) * up)
            scores = linear(w, q + ".router.layer", x)
            fed = fed + experts(scores, used, True, one)
        h = h + fed * residual
    return output(config, w, rms(h, w["model.norm.weight"], eps)) / config["logits_scaling"]


def rwkv7(config, w, ids, neighbours=False):
    """fla-org/flash-linear-attention's rwkv7.py and modeling_rwkv7.py, token by token. `neighbours`: a mistake, keys
    and values exchanged."""
    eps, size = config["norm_eps"], config["head_dim"]
    norm = lambda x, name, e=eps: layer_norm(x, w[name + ".weight"], w[name + ".bias"], e)
    h, first = norm(w["model.embeddings.weight"][ids], "model.layers.0.pre_norm"), None
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}.attn"
        x = norm(h, f"model.layers.{i}.attn_norm")
        delta = np.concatenate([np.zeros((1, x.shape[1])), x[:-1]]) - x
        xr, xw, xk, xv, xa, xg = (x + delta * w[f"{p}.x_{letter}"].reshape(-1) for letter in "rwkvag")

        def lora(name, y, act=lambda y: y):
            y = act(y @ w[f"{p}.{name}_lora.lora.0.weight"].T) @ w[f"{p}.{name}_lora.lora.2.weight"].T
            return y + w.get(f"{p}.{name}_lora.lora.2.bias", 0)
        r, k, v = linear(w, p + ".r_proj", xr), linear(w, p + ".k_proj", xk), linear(w, p + ".v_proj", xv)
        if neighbours:
            k, v = v, k
        decay = np.exp(-math.exp(-0.5) * sigmoid(lora("w", xw, np.tanh)))
        if first is None:
            first = v
        else:
            v = v + (first - v) * sigmoid(lora("v", xv))
        a, g = sigmoid(lora("a", xa)), lora("g", xg, sigmoid)
        removed = heads(k * w[p + ".k_k"], size)
        removed = removed / np.maximum(np.sqrt((removed ** 2).sum(-1, keepdims=True)), 1e-12)
        k = k * (1 + (a - 1) * w[p + ".k_a"])
        r, k, v, a, decay = (heads(y, size) for y in (r, k, v, a, decay))
        state, rows = np.zeros((r.shape[1], size, size)), []
        for t in range(len(ids)):
            left = np.einsum("hvk,hk->hv", state, removed[t])
            state = state * decay[t][:, None, :] - left[:, :, None] * (
                removed[t] * a[t])[:, None, :] + v[t][:, :, None] * k[t][:, None, :]
            rows.append(np.einsum("hvk,hk->hv", state, r[t]))
        y = np.array(rows)
        y = (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + size * eps)
        y = y.reshape(len(ids), -1) * w[p + ".g_norm.weight"] + w[p + ".g_norm.bias"]
        y = y + ((r * k * w[p + ".r_k"]).sum(-1, keepdims=True) * v).reshape(len(ids), -1)
        h = h + linear(w, p + ".o_proj", y * g)
        q = f"model.layers.{i}.ffn"
        x = norm(h, f"model.layers.{i}.ffn_norm")
        delta = np.concatenate([np.zeros((1, x.shape[1])), x[:-1]]) - x
        h = h + linear(w, q + ".value", np.maximum(linear(w, q + ".key", x + delta * w[q + ".x_k"].reshape(-1)), 0)**2)
    return output(config, w, norm(h, "model.norm"))
