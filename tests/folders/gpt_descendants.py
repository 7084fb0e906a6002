"""GPT-2 and its descendants: the equations of transformers' modeling_gpt2.py, modeling_gpt_bigcode.py,
modeling_gpt_neox.py, modeling_falcon.py and modeling_bloom.py in double precision, and small models with random
weights."""
import math

import numpy as np

from equations import attend, gelu_tanh, heads, layer_norm, linear, output, rotate
from tiny_models import CONTEXT, DIM, FFN, HEADS, LAYERS, VOCABULARY, Model, Tensors

HEAD = DIM // HEADS


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def norm(w, name, x):
    return layer_norm(x, w[name + ".weight"], w[name + ".bias"], 1e-5)


def parts(x, kv_heads, grouped):
    """Queries, keys and values: all queries first, or by heads of keys."""
    if not grouped:
        return [heads(part, HEAD) for part in np.split(x, [DIM, DIM + kv_heads * HEAD], -1)]
    groups = x.reshape(len(x), kv_heads, -1, HEAD)
    return [part.reshape(len(x), -1, HEAD) for part in (groups[:, :, :-2], groups[:, :, -2], groups[:, :, -1])]


def conv1d(w, name, x):
    return x @ w[name + ".weight"] + w[name + ".bias"]


def gpt2(config, w, ids, exchanged=False, dense=conv1d, grouped=False, kv_heads=HEADS):
    """Mistake: queries and keys exchanged."""
    h = w["transformer.wte.weight"][ids] + w["transformer.wpe.weight"][:len(ids)]
    for i in range(LAYERS):
        p = f"transformer.h.{i}"
        q, k, v = parts(dense(w, p + ".attn.c_attn", norm(w, p + ".ln_1", h)), kv_heads, grouped)
        q, k = (k, q) if exchanged else (q, k)
        h = h + dense(w, p + ".attn.c_proj", attend(q, k, v, HEAD**-0.5))
        x = gelu_tanh(dense(w, p + ".mlp.c_fc", norm(w, p + ".ln_2", h)))
        h = h + dense(w, p + ".mlp.c_proj", x)
    return norm(w, "transformer.ln_f", h) @ w["transformer.wte.weight"].T


gpt2.mistakes = {"queries and keys exchanged": {"exchanged": True}}


def starcoder(config, w, ids, no_positions=False):
    if no_positions:
        w = {**w, "transformer.wpe.weight": 0 * w["transformer.wpe.weight"]}
    return gpt2(config, w, ids, dense=linear, grouped=config["multi_query"],
                kv_heads=1 if config["multi_query"] else HEADS)


starcoder.mistakes = {"no positions": {"no_positions": True}}


def neox(config, w, ids, queries_first=False):
    inv = 10000.0**(-np.arange(0, HEAD // 4, 2) / (HEAD // 4))
    h = w["gpt_neox.embed_in.weight"][ids]
    for i in range(LAYERS):
        p = f"gpt_neox.layers.{i}"
        x = linear(w, p + ".attention.query_key_value", norm(w, p + ".input_layernorm", h))
        q, k, v = parts(x, HEADS, not queries_first)
        mixed = linear(w, p + ".attention.dense", attend(rotate(q, inv), rotate(k, inv), v, HEAD**-0.5))
        x = norm(w, p + ".post_attention_layernorm", h if config["use_parallel_residual"] else h + mixed)
        h = h + mixed + linear(w, p + ".mlp.dense_4h_to_h", gelu(linear(w, p + ".mlp.dense_h_to_4h", x)))
    return norm(w, "gpt_neox.final_layer_norm", h) @ w["embed_out.weight"].T


neox.mistakes = {"queries before keys": {"queries_first": True}}


def falcon(config, w, ids, queries_first=False):
    inv = 10000.0**(-np.arange(0, HEAD, 2) / HEAD)
    is_new = config["new_decoder_architecture"]
    h = w["transformer.word_embeddings.weight"][ids]
    for i in range(LAYERS):
        p = f"transformer.h.{i}"
        read, fed = (norm(w, p + name, h)
                     for name in ((".ln_attn", ".ln_mlp") if is_new else (".input_layernorm", ) * 2))
        x = linear(w, p + ".self_attention.query_key_value", read)
        kv = config["num_kv_heads"] if is_new else 1
        q, k, v = parts(x, kv, not queries_first)
        mixed = linear(w, p + ".self_attention.dense", attend(rotate(q, inv), rotate(k, inv), v, HEAD**-0.5))
        h = h + mixed + linear(w, p + ".mlp.dense_4h_to_h", gelu(linear(w, p + ".mlp.dense_h_to_4h", fed)))
    return output(config, w, norm(w, "transformer.ln_f", h), "transformer.word_embeddings.weight")


def falcon_new(config, w, ids, **other):
    return falcon(config, w, ids, **other)


falcon.mistakes = {}
falcon_new.mistakes = {"queries before keys": {"queries_first": True}}


def bloom(config, w, ids, queries_first=False):
    slopes = 2.0**(-8 / HEADS * np.arange(1, HEADS + 1))
    h = norm(w, "transformer.word_embeddings_layernorm", w["transformer.word_embeddings.weight"][ids])
    for i in range(LAYERS):
        p = f"transformer.h.{i}"
        x = linear(w, p + ".self_attention.query_key_value", norm(w, p + ".input_layernorm", h))
        q, k, v = parts(x, HEADS, not queries_first)
        h = h + linear(w, p + ".self_attention.dense", attend(q, k, v, HEAD**-0.5, alibi=slopes))
        x = norm(w, p + ".post_attention_layernorm", h)
        h = h + linear(w, p + ".mlp.dense_4h_to_h", gelu_tanh(linear(w, p + ".mlp.dense_h_to_4h", x)))
    return norm(w, "transformer.ln_f", h) @ w["transformer.word_embeddings.weight"].T


bloom.mistakes = {"queries before keys": {"queries_first": True}}


def made(seed, architecture, equations, dense, layers="transformer.h", bias=True, transposed=False, norms=(), **more):
    """dense: of a layer, name → (rows, columns)."""
    config = {"architectures": [architecture], "layer_norm_epsilon": 1e-5, "vocab_size": VOCABULARY, **more}
    t = Tensors(seed)
    for i in range(LAYERS):
        p = f"{layers}.{i}"
        for name in norms:
            t.norm(f"{p}.{name}", DIM, bias=True)
        for name, (rows, columns) in dense.items():
            t.matrix(f"{p}.{name}", rows, columns)
            if transposed:
                t[f"{p}.{name}.weight"] = t[f"{p}.{name}.weight"].T.copy()
            if bias:
                t.bias(f"{p}.{name}", rows)
    return Model(config, t, equations)


def like_gpt2(seed, architecture, equations, rows, **more):
    model = made(
        seed, architecture, equations,
        {"attn.c_attn": (rows, DIM), "attn.c_proj": (DIM, DIM), "mlp.c_fc": (FFN, DIM), "mlp.c_proj": (DIM, FFN)},
        norms=("ln_1", "ln_2"), n_embd=DIM, n_layer=LAYERS, n_head=HEADS, n_positions=CONTEXT, n_inner=FFN, **more)
    model.tensors.table("transformer.wte")
    model.tensors.table("transformer.wpe", CONTEXT)
    model.tensors.norm("transformer.ln_f", DIM, bias=True)
    return model


def like_megatron(seed, architecture, equations, rows, norms, **more):
    model = made(
        seed, architecture, equations, {
            "self_attention.query_key_value": (rows, DIM), "self_attention.dense": (DIM, DIM), "mlp.dense_h_to_4h":
            (4 * DIM, DIM), "mlp.dense_4h_to_h": (DIM, 4 * DIM)
        }, norms=norms, hidden_size=DIM, **more)
    model.tensors.table("transformer.word_embeddings")
    model.tensors.norm("transformer.ln_f", DIM, bias=True)
    return model


def gpt2_text():
    """As OpenAI's folder has it: without the name of the whole in front."""
    model = like_gpt2(91, "GPT2LMHeadModel", None, 3 * DIM, transposed=True, activation_function="gelu_new")
    config, tensors, _ = model
    stored = {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}
    stored["h.0.attn.bias"] = np.tril(np.ones((1, 1, CONTEXT, CONTEXT)))

    def equations(config, w, ids, **mistake):
        return gpt2(config, {f"transformer.{name}": tensor for name, tensor in w.items()}, ids, **mistake)

    equations.mistakes = gpt2.mistakes
    return Model(config, stored, equations)


def starcoder_text():
    return like_gpt2(92, "GPTBigCodeForCausalLM", starcoder, DIM + 2 * HEAD, multi_query=True)


def neox_text(parallel=True):
    model = made(
        93, "GPTNeoXForCausalLM", neox, {
            "attention.query_key_value": (3 * DIM, DIM), "attention.dense": (DIM, DIM), "mlp.dense_h_to_4h":
            (FFN, DIM), "mlp.dense_4h_to_h": (DIM, FFN)
        }, "gpt_neox.layers", norms=("input_layernorm", "post_attention_layernorm"), hidden_size=DIM,
        num_hidden_layers=LAYERS, num_attention_heads=HEADS, intermediate_size=FFN, hidden_act="gelu", rotary_pct=0.25,
        rotary_emb_base=10000, max_position_embeddings=CONTEXT, layer_norm_eps=1e-5, use_parallel_residual=parallel,
        tie_word_embeddings=False)
    model.tensors.table("gpt_neox.embed_in")
    model.tensors.table("embed_out")
    model.tensors.norm("gpt_neox.final_layer_norm", DIM, bias=True)
    return model


def neox_in_turn():
    return neox_text(False)


def falcon_text(equations=falcon, rows=DIM + 2 * HEAD, norms=("input_layernorm", ), **more):
    config = {
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "multi_query": True, "parallel_attn": True,
        "new_decoder_architecture": False, "bias": False, "alibi": False, **more
    }
    return like_megatron(94, "FalconForCausalLM", equations, rows, norms, **config)


def falcon_with_groups():
    return falcon_text(falcon_new, DIM + 4 * HEAD, ("ln_attn", "ln_mlp"), num_kv_heads=2, new_decoder_architecture=True)


def bloom_text():
    return like_megatron(95, "BloomForCausalLM", bloom, 3 * DIM, ("input_layernorm", "post_attention_layernorm"),
                         n_layer=LAYERS, n_head=HEADS)


def with_embedding_norm():
    model = bloom_text()
    model.tensors.norm("transformer.word_embeddings_layernorm", DIM, bias=True)
    return model


MODELS = {
    "gpt2": gpt2_text, "starcoder": starcoder_text, "gptneox": neox_text, "gptneox_in_turn": neox_in_turn, "falcon":
    falcon_text, "falcon_with_groups": falcon_with_groups, "bloom": with_embedding_norm
}
