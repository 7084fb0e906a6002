"""The first Qwen: the equations of QwenLM's modeling_qwen.py in double precision, within seq_length, and a small
model with random weights."""
import numpy as np

from equations import attend, heads, linear, rms, rotate, silu
from tiny_models import CONTEXT, DIM, FFN, HEADS, LAYERS, VOCABULARY, Model, Tensors


def qwen(config, w, ids, neighbours=False, gates_exchanged=False):
    """Mistakes: neighbours are rotated, the other half of the feed-forward is the gate."""
    eps, dim = config["layer_norm_epsilon"], config["kv_channels"]
    inv = config["rotary_emb_base"] ** (-np.arange(0, dim, 2) / dim)
    h = w["transformer.wte.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        p = f"transformer.h.{i}"
        x = linear(w, p + ".attn.c_attn", rms(h, w[p + ".ln_1.weight"], eps))
        q, k, v = (heads(part, dim) for part in np.split(x, 3, -1))
        q, k = rotate(q, inv, 1, neighbours), rotate(k, inv, 1, neighbours)
        h = h + linear(w, p + ".attn.c_proj", attend(q, k, v, dim ** -0.5))
        x = rms(h, w[p + ".ln_2.weight"], eps)
        up, gate = linear(w, p + ".mlp.w1", x), linear(w, p + ".mlp.w2", x)
        up, gate = (gate, up) if gates_exchanged else (up, gate)
        h = h + linear(w, p + ".mlp.c_proj", up * silu(gate))
    return rms(h, w["transformer.ln_f.weight"], eps) @ w["lm_head.weight"].T


qwen.mistakes = {"pairs in the wrong order": {"neighbours": True}, "gates exchanged": {"gates_exchanged": True}}


def qwen1():
    config = {
        "architectures": ["QWenLMHeadModel"], "hidden_size": DIM, "intermediate_size": 2 * FFN,
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "kv_channels": DIM // HEADS, "seq_length": CONTEXT,
        "max_position_embeddings": 4 * CONTEXT, "layer_norm_epsilon": 1e-6, "rotary_emb_base": 10000, "rotary_pct": 1.0,
        "no_bias": True, "use_logn_attn": True, "use_dynamic_ntk": True, "vocab_size": VOCABULARY,
        "tie_word_embeddings": False
    }
    t = Tensors(64)
    t.table("transformer.wte")
    t.table("lm_head")
    t.norm("transformer.ln_f", DIM)
    for i in range(LAYERS):
        p = f"transformer.h.{i}"
        t.norm(p + ".ln_1", DIM)
        t.norm(p + ".ln_2", DIM)
        t.matrix(p + ".attn.c_attn", 3 * DIM, DIM)
        t.bias(p + ".attn.c_attn", 3 * DIM)
        t.matrix(p + ".attn.c_proj", DIM, DIM)
        t.matrix(p + ".mlp.w1", FFN, DIM)
        t.matrix(p + ".mlp.w2", FFN, DIM)
        t.matrix(p + ".mlp.c_proj", DIM, FFN)
    return Model(config, t, qwen)


MODELS = {"qwen1": qwen1}
