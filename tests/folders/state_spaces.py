"""Models with states in place of keys, and hybrids: the equations of transformers' modeling_mamba.py,
modeling_falcon_mamba.py, modeling_mamba2.py, modeling_jamba.py, modeling_falcon_h1.py and modeling_nemotron_h.py in
double precision, token by token, and small models with random weights."""
import numpy as np

from equations import attend, causal_conv, experts, frequencies, gated, heads, linear, output, rms, rotate
from equations import sigmoid, silu
from tiny_models import CONTEXT, DIM, FFN, HEADS, KV_HEADS, VOCABULARY, Model, Tensors, attention, usual
from tiny_models import gated as add_gated

HEAD, STATES, RANK, INNER = DIM // HEADS, 16, 4, 2 * DIM


def softplus(x):
    return np.log1p(np.exp(x))


def bare(x, eps):
    return rms(x, 1, eps)


def mamba(w, p, x, normed=lambda part, name: part):
    u, z = np.split(linear(w, p + ".in_proj", x), 2, -1)
    u = silu(causal_conv(u, w[p + ".conv1d.weight"]) + w[p + ".conv1d.bias"])
    step, b, c = (normed(part, name)
                  for part, name in zip(np.split(linear(w, p +
                                                        ".x_proj", u), [RANK, RANK + STATES], -1), ("dt", "b", "c")))
    step = softplus(linear(w, p + ".dt_proj", step))
    decay = -np.exp(w[p + ".A_log"])
    state, rows = np.zeros((INNER, STATES)), []
    for t in range(len(x)):
        state = state * np.exp(step[t][:, None] * decay) + (step[t] * u[t])[:, None] * b[t][None, :]
        rows.append(state @ c[t] + w[p + ".D"] * u[t])
    return linear(w, p + ".out_proj", np.array(rows) * silu(z))


def mamba2(w, p, x, count, size, groups, eps, scales=None):
    """scales: of gates, inputs, B, C and steps."""
    inner, wide = count * size, groups * STATES
    all_ = linear(w, p + ".in_proj", x)
    if scales is not None:
        all_ = all_ * np.repeat(scales, [inner, inner, wide, wide, count])
    z, mixed, step = np.split(all_, [inner, 2 * inner + 2 * wide], -1)
    mixed = silu(causal_conv(mixed, w[p + ".conv1d.weight"]) + w[p + ".conv1d.bias"])
    u, b, c = np.split(mixed, [inner, inner + wide], -1)
    u = u.reshape(len(x), count, size)
    b, c = (np.repeat(y.reshape(len(x), groups, STATES), count // groups, 1) for y in (b, c))
    step = softplus(step + w[p + ".dt_bias"])
    decay = np.exp(step * -np.exp(w[p + ".A_log"]))
    state, rows = np.zeros((count, size, STATES)), []
    for t in range(len(x)):
        state = state * decay[t][:, None, None] + step[t][:, None, None] * u[t][:, :, None] * b[t][:, None, :]
        rows.append(np.einsum("hsn,hn->hs", state, c[t]) + w[p + ".D"][:, None] * u[t])
    y = np.array(rows).reshape(len(x), inner) * silu(z)
    if p + ".norm.weight" in w:
        y = bare(y.reshape(len(x), groups, -1), eps).reshape(len(x), -1) * w[p + ".norm.weight"]
    return linear(w, p + ".out_proj", y)


def backbone(config, w, ids, mix):
    h = w["backbone.embeddings.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"backbone.layers.{i}"
        h = h + mix(p + ".mixer", rms(h, w[p + ".norm.weight"], config["layer_norm_epsilon"]))
    return output(config, w, rms(h, w["backbone.norm_f.weight"], config["layer_norm_epsilon"]),
                  "backbone.embeddings.weight")


def reversed_conv(w):
    return {name: tensor[..., ::-1] if "conv1d.weight" in name else tensor for name, tensor in w.items()}


def with_mistake(equations):
    def judged(config, w, ids, reverse=False):
        return equations(config, reversed_conv(w) if reverse else w, ids)

    judged.mistakes = {"convolutions reversed": {"reverse": True}}
    return judged


@with_mistake
def mamba_equations(config, w, ids):
    return backbone(config, w, ids, lambda p, x: mamba(w, p, x))


@with_mistake
def falcon_mamba_equations(config, w, ids):
    return backbone(config, w, ids, lambda p, x: mamba(w, p, x, lambda part, name: bare(part, config["mixer_rms_eps"])))


@with_mistake
def mamba2_equations(config, w, ids):
    return backbone(
        config, w, ids, lambda p, x: mamba2(w, p, x, config["num_heads"], config["head_dim"], config["n_groups"],
                                            config["layer_norm_epsilon"]))


def attended(w, p, x, inv=None, scale=HEAD**-0.5):
    q, k, v = (heads(linear(w, f"{p}.{n}_proj", x), HEAD) for n in "qkv")
    if inv is not None:
        q, k = rotate(q, inv), rotate(k, inv)
    return linear(w, p + ".o_proj", attend(q, k, v, scale))


@with_mistake
def jamba_equations(config, w, ids):
    eps = config["rms_norm_eps"]
    h = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = rms(h, w[p + ".input_layernorm.weight"], eps)
        if i % config["attn_layer_period"] == config["attn_layer_offset"]:
            h = h + attended(w, p + ".self_attn", x)
        else:
            h = h + mamba(w, p + ".mamba", x,
                          lambda part, name: rms(part, w[f"{p}.mamba.{name}_layernorm.weight"], eps))
        x = rms(h, w[p + ".pre_ff_layernorm.weight"], eps)
        if i % config["expert_layer_period"] == config["expert_layer_offset"]:
            one = lambda e, row: gated(w, f"{p}.feed_forward.experts.{e}", x[row:row + 1])[0]
            h = h + experts(linear(w, p + ".feed_forward.router", x), config["num_experts_per_tok"], False, one)
        else:
            h = h + gated(w, p + ".feed_forward", x)
    return output(config, w, rms(h, w["model.final_layernorm.weight"], eps))


@with_mistake
def falcon_h1_equations(config, w, ids):
    eps, (inv, _) = config["rms_norm_eps"], frequencies(config, HEAD)
    h = w["model.embed_tokens.weight"][ids] * config["embedding_multiplier"]
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        x = rms(h, w[p + ".input_layernorm.weight"], eps)
        scanned = mamba2(w, p + ".mamba", x * config["ssm_in_multiplier"], config["mamba_n_heads"],
                         config["mamba_d_head"], config["mamba_n_groups"], eps, config["ssm_multipliers"])
        seen = attended(w, p + ".self_attn", x * config["attention_in_multiplier"], inv,
                        HEAD**-0.5 * config["key_multiplier"])
        h = h + scanned * config["ssm_out_multiplier"] + seen * config["attention_out_multiplier"]
        x, (gate, down) = rms(h, w[p + ".pre_ff_layernorm.weight"], eps), config["mlp_multipliers"]
        h = h + down * gated(w, p + ".feed_forward", x, lambda y: silu(y * gate))
    return output(config, w, rms(h, w["model.final_layernorm.weight"], eps)) * config["lm_head_multiplier"]


@with_mistake
def nemotron_h_equations(config, w, ids):
    eps, kinds = config["layer_norm_epsilon"], config["hybrid_override_pattern"]
    fed = lambda p, x: linear(w, p + ".down_proj", np.maximum(linear(w, p + ".up_proj", x), 0)**2)

    def routed(p, x):
        scores = sigmoid(linear(w, p + ".gate", x))
        rows = []
        for row in range(len(x)):
            chosen = np.argsort(-(scores[row] + w[p + ".gate.e_score_correction_bias"]))[:config["num_experts_per_tok"]]
            shares = scores[row][chosen] / scores[row][chosen].sum() * config["routed_scaling_factor"]
            rows.append(sum(share * fed(f"{p}.experts.{e}", x[row]) for share, e in zip(shares, chosen)))
        return np.array(rows) + fed(p + ".shared_experts", x)

    def mix(p, x):
        kind = kinds[int(p.split(".")[2])]
        if kind == "M":
            return mamba2(w, p, x, config["mamba_num_heads"], config["mamba_head_dim"], config["n_groups"], eps)
        return {"*": lambda: attended(w, p, x), "-": lambda: fed(p, x), "E": lambda: routed(p, x)}[kind]()

    return backbone(config, w, ids, mix)


def add_mamba(t, p, norms=False):
    t.matrix(p + ".in_proj", 2 * INNER, DIM)
    t[p + ".conv1d.weight"] = t.random.normal(0, 0.5, (INNER, 1, 4))
    t.bias(p + ".conv1d", INNER)
    t.matrix(p + ".x_proj", RANK + 2 * STATES, INNER)
    t.matrix(p + ".dt_proj", INNER, RANK)
    t.bias(p + ".dt_proj", INNER)
    t[p + ".A_log"] = t.random.uniform(0, 2, (INNER, STATES))
    t[p + ".D"] = t.random.normal(1, 0.1, INNER)
    t.matrix(p + ".out_proj", DIM, INNER)
    for name, size in (("dt", RANK), ("b", STATES), ("c", STATES)) if norms else ():
        t.norm(f"{p}.{name}_layernorm", size)


def add_mamba2(t, p, count, size, groups, norm=True):
    inner, mixed = count * size, count * size + 2 * groups * STATES
    t.matrix(p + ".in_proj", inner + mixed + count, DIM)
    t[p + ".conv1d.weight"] = t.random.normal(0, 0.5, (mixed, 1, 4))
    t.bias(p + ".conv1d", mixed)
    t.bias(p + ".dt", count)
    t[p + ".dt_bias"] = t.pop(p + ".dt.bias")
    t[p + ".A_log"] = t.random.uniform(0, 2, count)
    t[p + ".D"] = t.random.normal(1, 0.1, count)
    if norm:
        t.norm(p + ".norm", inner)
    t.matrix(p + ".out_proj", DIM, inner)


def of_mixers(seed, architecture, equations, add, numLayers=2, **more):
    config = {
        "architectures": [architecture], "hidden_size": DIM, "num_hidden_layers": numLayers, "state_size": STATES,
        "conv_kernel": 4, "expand": 2, "layer_norm_epsilon": 1e-5, "hidden_act": "silu", "vocab_size": VOCABULARY,
        "tie_word_embeddings": False, **more
    }
    t = Tensors(seed)
    t.table("backbone.embeddings")
    t.table("lm_head")
    t.norm("backbone.norm_f", DIM)
    for i in range(numLayers):
        t.norm(f"backbone.layers.{i}.norm", DIM)
        add(t, f"backbone.layers.{i}.mixer", i)
    return Model(config, t, equations)


def mamba_text():
    return of_mixers(101, "MambaForCausalLM", mamba_equations, lambda t, p, i: add_mamba(t, p), time_step_rank="auto")


def falcon_mamba_text():
    return of_mixers(102, "FalconMambaForCausalLM", falcon_mamba_equations, lambda t, p, i: add_mamba(t, p),
                     mixer_rms_eps=1e-2)


def mamba2_text():
    return of_mixers(103, "Mamba2ForCausalLM", mamba2_equations, lambda t, p, i: add_mamba2(t, p, 8, 16, 2),
                     num_heads=8, head_dim=16, n_groups=2)


def nemotron_h(pattern, **more):
    def add(t, p, i):
        if pattern[i] == "M":
            add_mamba2(t, p, 8, 16, 2)
        elif pattern[i] == "*":
            for name, rows in (("q_proj", DIM), ("k_proj", KV_HEADS * HEAD), ("v_proj", KV_HEADS * HEAD), ("o_proj",
                                                                                                           DIM)):
                t.matrix(f"{p}.{name}", rows, DIM)
        elif pattern[i] == "-":
            t.matrix(p + ".up_proj", FFN, DIM)
            t.matrix(p + ".down_proj", DIM, FFN)
        else:
            t.matrix(p + ".gate", 6, DIM)
            t[p + ".gate.e_score_correction_bias"] = t.random.normal(0, 0.3, 6)
            for name, width in [(f"experts.{e}", 48) for e in range(6)] + [("shared_experts", 80)]:
                t.matrix(f"{p}.{name}.up_proj", width, DIM)
                t.matrix(f"{p}.{name}.down_proj", DIM, width)

    return of_mixers(104, "NemotronHForCausalLM", nemotron_h_equations, add, len(pattern),
                     hybrid_override_pattern=pattern, intermediate_size=FFN, num_attention_heads=HEADS,
                     num_key_value_heads=KV_HEADS, head_dim=HEAD, max_position_embeddings=CONTEXT, mamba_num_heads=8,
                     mamba_head_dim=16, n_groups=2, ssm_state_size=STATES, mlp_hidden_act="relu2", **more)


def nemotron_h_text():
    return nemotron_h("M-*-")


def nemotron_h_experts():
    return nemotron_h("ME*", n_routed_experts=6, num_experts_per_tok=2, moe_intermediate_size=48,
                      moe_shared_expert_intermediate_size=80, routed_scaling_factor=2.5, norm_topk_prob=True)


def ends(t):
    t.table("model.embed_tokens")
    t.table("lm_head")
    t.norm("model.final_layernorm", DIM)


def jamba_text():
    config = usual("JambaForCausalLM", attn_layer_period=3, attn_layer_offset=1, expert_layer_period=2,
                   expert_layer_offset=1, num_experts=4, num_experts_per_tok=2, mamba_d_state=STATES, mamba_d_conv=4,
                   mamba_expand=2, mamba_dt_rank=RANK)
    t = Tensors(105)
    ends(t)
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        t.norm(p + ".input_layernorm", DIM)
        t.norm(p + ".pre_ff_layernorm", DIM)
        if i == 1:
            attention(t, p)
            t.matrix(p + ".feed_forward.router", 4, DIM)
            for e in range(4):
                add_gated(t, f"{p}.feed_forward.experts.{e}")
        else:
            add_mamba(t, p + ".mamba", True)
            add_gated(t, p + ".feed_forward")
    return Model(config, t, jamba_equations)


def falcon_h1_text():
    config = usual("FalconH1ForCausalLM", mamba_d_ssm=DIM, mamba_n_heads=4, mamba_d_head=16, mamba_n_groups=2,
                   mamba_d_state=STATES, mamba_d_conv=4, embedding_multiplier=2.5, lm_head_multiplier=0.4,
                   key_multiplier=0.7, attention_in_multiplier=0.9, attention_out_multiplier=0.8, ssm_in_multiplier=1.2,
                   ssm_out_multiplier=0.6, ssm_multipliers=[0.5, 0.9, 1.3, 0.8, 0.7], mlp_multipliers=[1.1, 0.6])
    t = Tensors(106)
    ends(t)
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        t.norm(p + ".input_layernorm", DIM)
        t.norm(p + ".pre_ff_layernorm", DIM)
        attention(t, p)
        add_mamba2(t, p + ".mamba", 4, 16, 2, norm=False)
        add_gated(t, p + ".feed_forward")
    return Model(config, t, falcon_h1_equations)


MODELS = {
    "mamba": mamba_text, "falcon_mamba": falcon_mamba_text, "mamba2": mamba2_text, "jamba": jamba_text, "falcon_h1":
    falcon_h1_text, "nemotron_h": nemotron_h_text, "nemotron_h_experts": nemotron_h_experts
}
