"""Mixtures of experts and their dense neighbours, as the modeling files of transformers compute them, in double
precision, and small models with random weights."""
import numpy as np

from equations import attend, causal_conv, frequencies, gated, heads, layer_norm, linear, output, rms, rotate
from equations import sigmoid, silu, softmax
from tiny_models import CONTEXT, DIM, FFN, HEADS, KV_HEADS, LAYERS, Model, Tensors, around, attention, usual
from tiny_models import gated as add_gated

HEAD, EXPERTS, USED, WIDTH, WINDOW = DIM // HEADS, 6, 2, 48, 8


def routed(scores, bias, scale, renormalise, expert, used=USED):
    """Chosen by scores and a bias, weighed by scores."""
    rows = []
    for row, own in enumerate(scores):
        chosen = np.argsort(-(own + bias))[:used]
        shares = own[chosen] / (own[chosen].sum() if renormalise else 1) * scale
        rows.append(sum(share * expert(e, row) for share, e in zip(shares, chosen)))
    return np.array(rows)


def mixture(config, w, p, x, router="gate", bias="gate.e_score_correction_bias", scores=sigmoid, scale=1.0,
            renormalise=True, shared="shared_experts", names=("gate_proj", "up_proj", "down_proj"), biased=True):
    one = lambda e, row: gated(w, f"{p}.experts.{e}", x[row:row + 1], names=names)[0]
    choice = w[f"{p}.{bias}"].reshape(-1) if bias and biased else 0
    y = routed(scores(linear(w, f"{p}.{router}", x)), choice, scale, renormalise, one)
    return y + gated(w, f"{p}.{shared}", x) if shared else y


def look(config, w, p, x, inv, magnitude=1.0, window=0, qk="", after=False, scale=HEAD**-0.5, sinks=None,
         neighbours=False, clip=0.0, gate=None):
    eps = config.get("rms_norm_eps", 1e-5)
    q, k, v = (linear(w, f"{p}.self_attn.{n}_proj", x) for n in "qkv")
    if clip:
        q, k, v = (np.clip(y, -clip, clip) for y in (q, k, v))
    if qk == "row":
        q, k = rms(q, w[p + ".self_attn.q_norm.weight"], eps), rms(k, w[p + ".self_attn.k_norm.weight"], eps)
    q, k, v = (heads(y, HEAD) for y in (q, k, v))
    norm = lambda: (rms(q, w[f"{p}.self_attn.{qk[0]}.weight"], eps), rms(k, w[f"{p}.self_attn.{qk[1]}.weight"], eps))
    if qk and qk != "row" and not after:
        q, k = norm()
    if inv is not None:
        q, k = rotate(q, inv, magnitude, neighbours), rotate(k, inv, magnitude, neighbours)
    if qk and qk != "row" and after:
        q, k = norm()
    y = attend(q, k, v, scale, window, sinks=sinks)
    if gate is not None:
        y = (heads(y, HEAD) * gate(x).reshape(len(x), y.shape[1] // HEAD, -1)).reshape(len(x), -1)
    return linear(w, p + ".self_attn.o_proj", y)


def llama_like(config, w, ids, see, feed, norm=None, names=("input_layernorm", "post_attention_layernorm"),
               final="model.norm", residual=1.0, embedding=1.0):
    norm = norm or (lambda name, x: rms(x, w[name + ".weight"], config["rms_norm_eps"]))
    h = w["model.embed_tokens.weight"][ids] * embedding
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        h = h + residual * see(i, p, norm(f"{p}.{names[0]}", h))
        h = h + residual * feed(i, p, norm(f"{p}.{names[1]}", h))
    return output(config, w, norm(final, h))


NORMS = ("q_norm", "k_norm")


def mistaken(**mistakes):
    def mark(equations):
        equations.mistakes = {what.replace("_", " "): {"mistake": what}
                              for what in mistakes} or {"no bias of the choice": {"mistake": "bias"}}
        return equations

    return mark


@mistaken()
def dots1(config, w, ids, mistake=""):
    inv, _ = frequencies(config, HEAD)
    feed = lambda i, p, x: gated(w, p + ".mlp", x) if i < config["first_k_dense_replace"] else mixture(
        config, w, p + ".mlp", x, scale=config["routed_scaling_factor"], biased=not mistake)
    return llama_like(config, w, ids, lambda i, p, x: look(config, w, p, x, inv, qk=NORMS), feed)


@mistaken()
def exaone_moe(config, w, ids, mistake=""):
    inv, _ = frequencies(config, HEAD)
    slides = lambda i: config["layer_types"][i] == "sliding_attention"
    see = lambda i, p, x: look(config, w, p, x, inv if slides(i) else None, window=WINDOW if slides(i) else 0, qk=NORMS)
    feed = lambda i, p, x: gated(w, p + ".mlp", x) if config["mlp_layer_types"][i] == "dense" else mixture(
        config, w, p + ".mlp", x, bias="e_score_correction_bias", scale=config["routed_scaling_factor"], biased=
        not mistake)
    return llama_like(config, w, ids, see, feed)


@mistaken(no_gate=True)
def afmoe(config, w, ids, mistake=""):
    eps, (inv, _) = config["rms_norm_eps"], frequencies(config, HEAD)
    h = w["model.embed_tokens.weight"][ids] * DIM**0.5
    for i in range(config["num_hidden_layers"]):
        p, slides = f"model.layers.{i}", (i + 1) % 4 != 0
        norm = lambda name, x: rms(x, w[f"{p}.{name}.weight"], eps)
        gate = None if mistake else lambda x: sigmoid(linear(w, p + ".self_attn.gate_proj", x))
        y = look(config, w, p, norm("input_layernorm", h), inv if slides else None, window=WINDOW if slides else 0,
                 qk=NORMS, gate=gate)
        h = h + norm("post_attention_layernorm", y)
        x = norm("pre_mlp_layernorm", h)
        y = gated(w, p + ".mlp", x) if i < config["num_dense_layers"] else mixture(
            config, w, p + ".mlp", x, "router.gate", "expert_bias", scale=config["route_scale"])
        h = h + norm("post_mlp_layernorm", y)
    return output(config, w, rms(h, w["model.norm.weight"], eps))


@mistaken()
def minimax_m2(config, w, ids, mistake=""):
    inv, _ = frequencies(config, config["rotary_dim"])
    feed = lambda i, p, x: mixture(config, w, p + ".block_sparse_moe", x, bias="e_score_correction_bias", shared="",
                                   names=("w1", "w3", "w2"), biased=not mistake)
    return llama_like(config, w, ids, lambda i, p, x: look(config, w, p, x, inv, qk="row"), feed)


@mistaken()
def ernie(config, w, ids, mistake=""):
    inv, _ = frequencies(config, HEAD)
    feed = lambda i, p, x: gated(w, p + ".mlp", x) if i < config["moe_layer_start_index"] else mixture(
        config, w, p + ".mlp", x, bias="moe_statics.e_score_correction_bias", scores=softmax, biased=not mistake)
    return llama_like(config, w, ids, lambda i, p, x: look(config, w, p, x, inv, neighbours=True), feed)


def hunyuan_see(config, w, mistake):
    scaling = config["rope_scaling"]
    base = config["rope_theta"] * scaling["alpha"]**(HEAD / (HEAD - 2))
    inv, _ = frequencies(config, HEAD, base, {})
    return lambda i, p, x: look(config, w, p, x, inv, qk=("query_layernorm", "key_layernorm"), after=not mistake)


@mistaken(norms_before_rotation=True)
def hunyuan(config, w, ids, mistake=""):
    return llama_like(config, w, ids, hunyuan_see(config, w, mistake), lambda i, p, x: gated(w, p + ".mlp", x))


@mistaken(norms_before_rotation=True)
def hunyuan_moe(config, w, ids, mistake=""):
    feed = lambda i, p, x: mixture(config, w, p + ".mlp", x, "gate.wg", "", softmax, shared="shared_mlp")
    return llama_like(config, w, ids, hunyuan_see(config, w, mistake), feed)


@mistaken()
def hy_v3(config, w, ids, mistake=""):
    inv, _ = frequencies(config, HEAD)
    feed = lambda i, p, x: gated(w, p + ".mlp", x) if i == 0 else mixture(
        config, w, p + ".mlp", x, "router.gate", "expert_bias", scale=config["router_scaling_factor"
                                                                             ], shared="shared_mlp", biased=not mistake)
    return llama_like(config, w, ids, lambda i, p, x: look(config, w, p, x, inv, qk=NORMS), feed)


@mistaken()
def lfm2_moe(config, w, ids, mistake=""):
    inv, _ = frequencies(config, HEAD)

    def see(i, p, x):
        if config["layer_types"][i] == "full_attention":
            named = {f"{p}.self_attn.o_proj.weight": w[p + ".self_attn.out_proj.weight"], **w}
            return look(config, named, p, x, inv, qk=("q_layernorm", "k_layernorm"))
        b, c, u = np.split(linear(w, p + ".conv.in_proj", x), 3, -1)
        return linear(w, p + ".conv.out_proj", c * causal_conv(b * u, w[p + ".conv.conv.weight"]))

    def feed(i, p, x):
        if i < config["num_dense_layers"]:
            return gated(w, p + ".feed_forward", x, names=("w1", "w3", "w2"))
        return mixture(config, w, p + ".feed_forward", x, bias="expert_bias", shared="", names=("w1", "w3", "w2"),
                       biased=not mistake)

    norm = lambda name, x: rms(x, w[name + ".weight"], config["norm_eps"])
    return llama_like(config, w, ids, see, feed, norm, ("operator_norm", "ffn_norm"), "model.embedding_norm")


@mistaken(no_gate=True)
def laguna(config, w, ids, mistake=""):
    def see(i, p, x):
        positions = config["rope_parameters"][config["layer_types"][i]]
        dims = int(HEAD * positions["partial_rotary_factor"])
        inv = positions["rope_theta"]**(-np.arange(0, dims, 2) / dims)
        gate = None if mistake else lambda x: np.log1p(np.exp(linear(w, p + ".self_attn.g_proj", x)))
        return look(config, w, p, x, inv, window=WINDOW if "sliding" in config["layer_types"][i] else 0, qk=NORMS,
                    gate=gate)

    feed = lambda i, p, x: gated(w, p + ".mlp", x) if config["mlp_layer_types"][i] == "dense" else mixture(
        config, w, p + ".mlp", x, bias="experts.e_score_correction_bias", scale=config["moe_routed_scaling_factor"],
        shared="shared_expert")
    return llama_like(config, w, ids, see, feed)


@mistaken(everywhere_the_same_positions=True)
def mellum(config, w, ids, mistake=""):
    def see(i, p, x):
        kind = config["layer_types"][i]
        base = config["rope_parameters"]["full_attention" if mistake else kind]["rope_theta"]
        return look(config, w, p, x, base**(-np.arange(0, HEAD, 2) / HEAD), window=WINDOW if "sliding" in kind else 0,
                    qk=NORMS)

    return llama_like(config, w, ids, see,
                      lambda i, p, x: mixture(config, w, p + ".mlp", x, bias="", scores=softmax, shared=""))


@mistaken(no_sinks=True)
def granite_swa(config, w, ids, mistake=""):
    inv, _ = frequencies(config, HEAD)
    see = lambda i, p, x: look(config, w, p, x, inv if config["layer_rope_theta"][i] else None, window=WINDOW
                               if "sliding" in config["layer_types"][i] else 0, scale=config["attention_multiplier"],
                               sinks=None if mistake else w[p + ".self_attn.sinks"])
    y = llama_like(config, w, ids, see, lambda i, p, x: gated(w, p + ".mlp", x), residual=config["residual_multiplier"],
                   embedding=config["embedding_multiplier"])
    return y / config["logits_scaling"]


@mistaken(not_clipped=True)
def olmo(config, w, ids, mistake=""):
    inv, _ = frequencies(config, HEAD)
    return llama_like(config, w, ids, lambda i, p, x: look(config, w, p, x, inv, clip=0
                                                           if mistake else config["clip_qkv"]),
                      lambda i, p, x: gated(w, p + ".mlp", x), lambda name, x: layer_norm(x, 1, 0, 1e-5))


def squared(w, p, x):
    return linear(w, p + ".mlp.down_proj", np.maximum(linear(w, p + ".mlp.up_proj", x), 0)**2)


@mistaken(neighbours_rotated=True)
def arcee(config, w, ids, mistake=""):
    inv, magnitude = frequencies(config, HEAD)
    return llama_like(config, w, ids, lambda i, p, x: look(config, w, p, x, inv, magnitude, neighbours=bool(mistake)),
                      lambda i, p, x: squared(w, p, x))


@mistaken(neighbours_rotated=True)
def jais2(config, w, ids, mistake=""):
    inv, _ = frequencies(config, HEAD)
    norm = lambda name, x: layer_norm(x, w[name + ".weight"], w[name + ".bias"], config["layer_norm_eps"])
    return llama_like(config, w, ids, lambda i, p, x: look(config, w, p, x, inv, neighbours=bool(mistake)),
                      lambda i, p, x: squared(w, p, x), norm)


def add_mixture(t, p, router="gate", bias="gate.e_score_correction_bias", shared="shared_experts", shared_width=WIDTH,
                width=WIDTH, names=("gate_proj", "up_proj", "down_proj"), shape=(EXPERTS, )):
    t.matrix(f"{p}.{router}", EXPERTS, DIM)
    if bias:
        t[f"{p}.{bias}"] = t.random.normal(0, 0.3, shape)
    for e in range(EXPERTS):
        add_gated(t, f"{p}.experts.{e}", width, names)
    if shared:
        add_gated(t, f"{p}.{shared}", shared_width)


def made(seed, equations, config, feed, norms=("input_layernorm", "post_attention_layernorm"), qk=(),
         sizes=(HEAD, HEAD), bias="", norm_bias=False, see=None):
    t = Tensors(seed)
    around(t, config, bias=norm_bias)
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        for name in norms:
            t.norm(f"{p}.{name}", DIM, bias=norm_bias)
        if see:
            see(t, i, p)
        else:
            attention(t, p, bias=bias)
        for name, size in zip(qk, sizes):
            t.norm(f"{p}.self_attn.{name}", size)
        feed(t, i, p)
    return Model(config, t, equations)


def dense_then(count, add):
    return lambda t, i, p: add_gated(t, p + ".mlp") if i < count else add(t, p + ".mlp")


def dots1_text():
    config = usual("Dots1ForCausalLM", moe_intermediate_size=WIDTH, n_routed_experts=EXPERTS, num_experts_per_tok=USED,
                   n_shared_experts=2, first_k_dense_replace=1, norm_topk_prob=True, routed_scaling_factor=2.5,
                   sliding_window=None)
    return made(111, dots1, config, dense_then(1, lambda t, p: add_mixture(t, p, shared_width=2 * WIDTH)), qk=NORMS)


KINDS = ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"]


def exaone_moe_text():
    config = usual("ExaoneMoeForCausalLM", num_hidden_layers=4, layer_types=KINDS, sliding_window=WINDOW,
                   moe_intermediate_size=WIDTH, mlp_layer_types=["dense", "sparse", "sparse", "sparse"],
                   num_experts=EXPERTS, num_experts_per_tok=USED, num_shared_experts=1, routed_scaling_factor=2.5)
    return made(112, exaone_moe, config, dense_then(1, lambda t, p: add_mixture(t, p, bias="e_score_correction_bias")),
                qk=NORMS)


def afmoe_text():
    config = usual("AfmoeForCausalLM", num_hidden_layers=5, sliding_window=WINDOW, global_attn_every_n_layers=4,
                   mup_enabled=True, moe_intermediate_size=WIDTH, num_experts=EXPERTS, num_experts_per_tok=USED,
                   num_shared_experts=1, num_dense_layers=1, route_scale=2.5)

    def see(t, i, p):
        attention(t, p)
        t.matrix(p + ".self_attn.gate_proj", DIM, DIM)

    return made(113, afmoe, config, dense_then(1, lambda t, p: add_mixture(t, p, "router.gate", "expert_bias")),
                ("input_layernorm", "post_attention_layernorm", "pre_mlp_layernorm", "post_mlp_layernorm"), NORMS,
                see=see)


def minimax_m2_text():
    config = usual("MiniMaxM2ForCausalLM", intermediate_size=WIDTH, num_local_experts=EXPERTS, num_experts_per_tok=USED,
                   head_dim=HEAD, rotary_dim=HEAD // 2, scoring_func="sigmoid")
    feed = lambda t, i, p: add_mixture(t, p + ".block_sparse_moe", bias="e_score_correction_bias", shared="", names=(
        "w1", "w3", "w2"))
    return made(114, minimax_m2, config, feed, qk=NORMS, sizes=(DIM, KV_HEADS * HEAD))


def ernie_moe_text():
    config = usual("Ernie4_5_MoeForCausalLM", moe_intermediate_size=WIDTH, moe_num_experts=EXPERTS, moe_k=USED,
                   moe_num_shared_experts=2, moe_layer_start_index=1, moe_layer_end_index=-1)
    return made(
        115, ernie, config,
        dense_then(
            1, lambda t, p: add_mixture(t, p, bias="moe_statics.e_score_correction_bias", shared_width=2 * WIDTH, shape
                                        =(1, EXPERTS))))


def ernie_text():
    config = usual("Ernie4_5ForCausalLM", head_dim=HEAD)
    model = made(116, None, config, lambda t, i, p: add_gated(t, p + ".mlp"))

    def equations(config, w, ids, mistake=""):
        inv, _ = frequencies(config, HEAD)
        return llama_like(config, w, ids, lambda i, p, x: look(config, w, p, x, inv, neighbours=not mistake),
                          lambda i, p, x: gated(w, p + ".mlp", x))

    equations.mistakes = {"halves rotated": {"mistake": "halves"}}
    return model._replace(equations=equations)


def hunyuan_config(name, **more):
    return usual(name, head_dim=HEAD, rope_scaling={"type": "dynamic", "alpha": 1000.0, "factor": 1.0},
                 use_qk_norm=True, **more)


def hunyuan_text():
    return made(117, hunyuan, hunyuan_config("HunYuanDenseV1ForCausalLM"), lambda t, i, p: add_gated(t, p + ".mlp"),
                qk=("query_layernorm", "key_layernorm"))


def hunyuan_moe_text():
    config = hunyuan_config("HunYuanMoEV1ForCausalLM", num_experts=EXPERTS, moe_topk=[USED] * LAYERS,
                            num_shared_expert=[1] * LAYERS)
    feed = lambda t, i, p: add_mixture(t, p + ".mlp", "gate.wg", "", "shared_mlp", FFN, FFN)
    return made(118, hunyuan_moe, config, feed, qk=("query_layernorm", "key_layernorm"))


def hy_v3_text():
    config = usual("HYV3ForCausalLM", moe_intermediate_size=WIDTH, num_experts=EXPERTS, num_experts_per_tok=USED,
                   num_shared_experts=1, router_scaling_factor=2.5, mlp_layer_types=["dense", "sparse", "sparse"])
    return made(119, hy_v3, config,
                dense_then(1, lambda t, p: add_mixture(t, p, "router.gate", "expert_bias", "shared_mlp")), qk=NORMS)


def lfm2_moe_text():
    kinds = ["conv", "full_attention", "conv"]
    config = usual("Lfm2MoeForCausalLM", layer_types=kinds, conv_L_cache=3, norm_eps=1e-5, rope_theta=1e6,
                   num_dense_layers=1, moe_intermediate_size=WIDTH, num_experts=EXPERTS, num_experts_per_tok=USED,
                   tie_word_embeddings=True)
    config.pop("rms_norm_eps")

    def see(t, i, p):
        if kinds[i] == "conv":
            t.matrix(p + ".conv.in_proj", 3 * DIM, DIM)
            t.matrix(p + ".conv.out_proj", DIM, DIM)
            t[p + ".conv.conv.weight"] = t.random.normal(0, 0.5, (DIM, 1, 3))
        else:
            attention(t, p, out="out_proj")
            t.norm(p + ".self_attn.q_layernorm", HEAD)
            t.norm(p + ".self_attn.k_layernorm", HEAD)

    def feed(t, i, p):
        names = ("w1", "w3", "w2")
        if i == 0:
            add_gated(t, p + ".feed_forward", names=names)
        else:
            add_mixture(t, p + ".feed_forward", bias="expert_bias", shared="", names=names)

    model = made(120, lfm2_moe, config, feed, ("operator_norm", "ffn_norm"), see=see)
    model.tensors["model.embedding_norm.weight"] = model.tensors.pop("model.norm.weight")
    return model


def positions(full, part, sliding):
    return {
        "full_attention": {"rope_type": "default", "rope_theta": full, "partial_rotary_factor": part},
        "sliding_attention": {"rope_type": "default", "rope_theta": sliding, "partial_rotary_factor": 1.0}
    }


def laguna_text():
    config = usual("LagunaForCausalLM", num_hidden_layers=3, head_dim=HEAD, layer_types=KINDS[2:] + KINDS[:1],
                   sliding_window=WINDOW, rope_parameters=positions(500000.0, 0.5, 10000.0),
                   mlp_layer_types=["dense", "sparse",
                                    "sparse"], moe_intermediate_size=WIDTH, shared_expert_intermediate_size=WIDTH,
                   num_experts=EXPERTS, num_experts_per_tok=USED, moe_routed_scaling_factor=2.5, gating=True)
    del config["rope_theta"]
    config["num_attention_heads_per_layer"] = counts = [HEADS, 2 * HEADS, HEADS]

    def see(t, i, p):
        attention(t, p, heads=counts[i])
        t.matrix(p + ".self_attn.g_proj", counts[i], DIM)

    return made(
        121, laguna, config,
        dense_then(1, lambda t, p: add_mixture(t, p, bias="experts.e_score_correction_bias", shared="shared_expert")),
        qk=NORMS, see=see)


def mellum_text():
    config = usual("MellumForCausalLM", num_hidden_layers=3, head_dim=HEAD, layer_types=KINDS[2:] + KINDS[:1],
                   sliding_window=WINDOW, rope_parameters=positions(500000.0, 1.0, 100.0), moe_intermediate_size=WIDTH,
                   num_local_experts=EXPERTS, num_experts_per_tok=USED)
    del config["rope_theta"]
    return made(122, mellum, config, lambda t, i, p: add_mixture(t, p + ".mlp", bias="", shared=""), qk=NORMS)


def granite_swa_text():
    config = usual("GraniteSWAForCausalLM", num_hidden_layers=4, layer_types=KINDS[::-1], sliding_window=WINDOW,
                   layer_rope_theta=[0, 10000.0, 10000.0, 10000.0], embedding_multiplier=3.0, residual_multiplier=0.5,
                   attention_multiplier=0.2, logits_scaling=2.0)

    def see(t, i, p):
        attention(t, p)
        t[p + ".self_attn.sinks"] = t.random.normal(0, 1, HEADS)

    return made(123, granite_swa, config, lambda t, i, p: add_gated(t, p + ".mlp"), see=see)


def olmo_text():
    config = usual("OlmoForCausalLM", clip_qkv=0.8)
    del config["rms_norm_eps"]
    model = made(124, olmo, config, lambda t, i, p: add_gated(t, p + ".mlp"), norms=())
    del model.tensors["model.norm.weight"]
    return model


def add_squared(t, i, p, bias=False):
    for name, rows, columns in (("up_proj", FFN, DIM), ("down_proj", DIM, FFN)):
        t.matrix(f"{p}.mlp.{name}", rows, columns)
        if bias:
            t.bias(f"{p}.mlp.{name}", rows)


def arcee_text():
    config = usual(
        "ArceeForCausalLM", hidden_act="relu2", rope_scaling={
            "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": CONTEXT // 4, "mscale": 1.0
        })
    return made(125, arcee, config, add_squared)


def jais2_text():
    config = usual("Jais2ForCausalLM", hidden_act="relu2", layer_norm_eps=1e-5, attention_bias=True, mlp_bias=True)
    del config["rms_norm_eps"]

    def see(t, i, p):
        attention(t, p, bias="qkv")
        t.bias(p + ".self_attn.o_proj", DIM)

    return made(126, jais2, config, lambda t, i, p: add_squared(t, i, p, True), norm_bias=True, see=see)


MODELS = {name.removesuffix("_text"): make for name, make in list(globals().items()) if name.endswith("_text")}
