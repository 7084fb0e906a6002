"""InternLM2: the equations of InternLM's modeling_internlm2.py in double precision, and a small model with random
weights."""
import numpy as np

import equations
from tiny_models import DIM, FFN, HEADS, KV_HEADS, LAYERS, Model, Tensors, usual

HEAD = DIM // HEADS
NAMES = {"attention.wo": "self_attn.o_proj", "attention_norm": "input_layernorm",
         "ffn_norm": "post_attention_layernorm", "feed_forward.w1": "mlp.gate_proj",
         "feed_forward.w3": "mlp.up_proj", "feed_forward.w2": "mlp.down_proj"}


def internlm2(config, w, ids, neighbours=False, queries_first=False):
    """Llama's layer. Mistake: all queries lie before all keys."""
    own = {"model.embed_tokens.weight": w["model.tok_embeddings.weight"], "model.norm.weight": w["model.norm.weight"],
           "lm_head.weight": w["output.weight"]}
    for i in range(LAYERS):
        p = f"model.layers.{i}."
        own.update({f"{p}{name}.weight": w[f"{p}{theirs}.weight"] for theirs, name in NAMES.items()})
        rows = w[p + "attention.wqkv.weight"]
        if queries_first:
            parts = np.split(rows, [HEADS * HEAD, (HEADS + KV_HEADS) * HEAD])
        else:
            groups = rows.reshape(KV_HEADS, HEADS // KV_HEADS + 2, HEAD, DIM)
            parts = [groups[:, :-2], groups[:, -2], groups[:, -1]]
        own.update({f"{p}self_attn.{n}_proj.weight": part.reshape(-1, DIM) for n, part in zip("qkv", parts)})
    return equations.llama(config, own, ids, neighbours)


internlm2.mistakes = {"pairs in the wrong order": {"neighbours": True},
                      "queries before keys": {"queries_first": True}}


def internlm2_text():
    config = usual("InternLM2ForCausalLM", model_type="internlm2", bias=False, rope_scaling={
        "type": "dynamic", "factor": 2.0})
    t = Tensors(83)
    t.table("model.tok_embeddings")
    t.table("output")
    t.norm("model.norm", DIM)
    for i in range(LAYERS):
        p = f"model.layers.{i}"
        t.norm(p + ".attention_norm", DIM)
        t.norm(p + ".ffn_norm", DIM)
        t.matrix(p + ".attention.wqkv", (HEADS + 2 * KV_HEADS) * HEAD, DIM)
        t.matrix(p + ".attention.wo", DIM, DIM)
        for name in ("w1", "w3"):
            t.matrix(f"{p}.feed_forward.{name}", FFN, DIM)
        t.matrix(p + ".feed_forward.w2", DIM, FFN)
    return Model(config, t, internlm2)


MODELS = {"internlm2_text": internlm2_text}
