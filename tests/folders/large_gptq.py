#!/usr/bin/env python3
"""A folder with GPTQ weights of the shape that docs/benchmarks.md measures: 1.1 billion random weights, 4 bits in
groups, output in F16.

usage: large_gptq.py OUT [GROUP]
"""
import json
import pathlib
import sys

import numpy as np

import packed_weights

DIM, FFN, LAYERS, HEADS, KV_HEADS, VOCAB = 2048, 5632, 22, 32, 4, 32000
KV_DIM = DIM // HEADS * KV_HEADS
MATRICES = {
    "self_attn.q_proj": (DIM, DIM), "self_attn.k_proj": (KV_DIM, DIM), "self_attn.v_proj": (KV_DIM, DIM),
    "self_attn.o_proj": (DIM, DIM), "mlp.gate_proj": (FFN, DIM), "mlp.up_proj": (FFN, DIM), "mlp.down_proj": (DIM, FFN)
}


def main():
    out, group = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 128
    out.mkdir(parents=True, exist_ok=True)
    random, scheme = np.random.default_rng(1), packed_weights.Gptq(group=group)
    tensors = {
        name: ("F16", random.normal(0, 0.02, (VOCAB, DIM)).astype(np.float16))
        for name in ("model.embed_tokens.weight", "lm_head.weight")
    }
    tensors["model.norm.weight"] = "F16", np.ones(DIM)
    for layer in range(LAYERS):
        prefix = f"model.layers.{layer}."
        tensors |= {
            f"{prefix}{norm}.weight": ("F16", np.ones(DIM)) for norm in ("input_layernorm", "post_attention_layernorm")
        }
        for name, shape in MATRICES.items():
            tensors |= scheme.pack(random, prefix + name, *shape)
    packed_weights.write(out / "model.safetensors", tensors)
    (out / "config.json").write_text(
        json.dumps({
            "architectures": ["LlamaForCausalLM"], "hidden_size": DIM, "intermediate_size": FFN,
            "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS,
            "max_position_embeddings": 2048, "vocab_size": VOCAB, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
            "hidden_act": "silu", "tie_word_embeddings": False, "quantization_config": scheme.config
        }))


if __name__ == "__main__":
    main()
