#!/usr/bin/env python3
"""Packed weights of Hugging Face's folders beside their evaluators: bit-equal once decoded, and the same logits.

usage: packed_test.py INGLE [CASE…]
"""
import json
import pathlib
import sys
import tempfile

import numpy as np

import equations
import gguf_tensors
import judged
import packed_weights as packed
import qwen_hybrid
from judged import run

TOLERANCE = 4e-4
IDS = [3, 17, 88, 4, 61, 61, 9, 30, 75, 2, 44, 13]
DIM, FFN, HEADS, KV_HEADS, VOCABULARY, LAYERS = 256, 384, 4, 2, 96, 2
HEAD = DIM // HEADS
MATRICES = {
    "self_attn.q_proj": (DIM, DIM), "self_attn.k_proj": (KV_HEADS * HEAD, DIM),
    "self_attn.v_proj": (KV_HEADS * HEAD, DIM), "self_attn.o_proj": (DIM, DIM), "mlp.gate_proj": (FFN, DIM),
    "mlp.up_proj": (FFN, DIM), "mlp.down_proj": (DIM, FFN)
}
IN_GGUF = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"
}
FUSED = {
    "self_attn.qkv_proj": (DIM + 2 * KV_HEADS * HEAD, DIM), "self_attn.o_proj": (DIM, DIM),
    "mlp.gate_up_proj": (2 * FFN, DIM), "mlp.down_proj": (DIM, FFN)
}
EXPERTS = {name: size for name, size in MATRICES.items() if "self_attn" in name}
EXPERTS.update({
    f"block_sparse_moe.experts.{e}.{w}": (DIM, FFN) if w == "w2" else (FFN, DIM) for e in range(4)
    for w in ("w1", "w2", "w3")
})

CASES = {
    "gptq-4-g128": packed.Gptq(),
    "gptq-4-g64-v2": packed.Gptq(group=64, version="gptq_v2"),
    "gptq-4-g32-bf16": packed.Gptq(group=32, kind="BF16"),
    "gptq-4-row": packed.Gptq(group=-1),
    "gptq-4-no-index": packed.Gptq(group=64, without_index=True),
    "gptq-4-act-order": packed.Gptq(group=64, order=True),
    "gptq-2-g64": packed.Gptq(bits=2, group=64),
    "gptq-3-g32-act-order": packed.Gptq(bits=3, group=32, order=True),
    "gptq-8-g128": packed.Gptq(bits=8),
    "gptq-8-g32-act-order": packed.Gptq(bits=8, group=32, order=True, version="gptq_v2"),
    "autoround-4-g128": packed.Gptq(without_index=True, autoround=True),
    "awq-g128": packed.Awq(),
    "awq-g32": packed.Awq(group=32),
    "compressed-4-g128": packed.PackQuantized(),
    "compressed-4-g32-zeros": packed.PackQuantized(group=32, symmetric=False, kind="F16"),
    "compressed-4-act-order": packed.PackQuantized(group=64, order=True),
    "compressed-8-row": packed.PackQuantized(bits=8, group=-1),
    "compressed-int8": packed.IntQuantized(),
    "compressed-fp8-row": packed.Fp8("row", "compressed-tensors"),
    "fp8-block": packed.Fp8(),
    "fp8-tensor": packed.Fp8("tensor"),
    "fp8-mistral": packed.Fp8("inverse"),
    "modelopt-fp8": packed.Fp8("tensor", "modelopt"),
    "modelopt-nvfp4": packed.Nvfp4(),
    "compressed-nvfp4": packed.Nvfp4("compressed-tensors"),
    "mlx-4-g64": packed.Mlx(),
    "mlx-4-g32-bf16": packed.Mlx(group=32, kind="BF16"),
    "mlx-4-tiny": packed.Mlx(kind="BF16", size=2.0**-20),
    "mlx-2-g128": packed.Mlx(bits=2, group=128),
    "mlx-3-g64": packed.Mlx(bits=3),
    "mlx-5-g64": packed.Mlx(bits=5),
    "mlx-6-g64-bf16": packed.Mlx(bits=6, kind="BF16"),
    "mlx-8-g64": packed.Mlx(bits=8),
    "mlx-mxfp4": packed.MlxFloats("mxfp4"),
    "mlx-nvfp4": packed.MlxFloats("nvfp4"),
    "bitsandbytes-nf4": packed.FourBits(),
    "bitsandbytes-fp4": packed.FourBits("fp4", nested=False, dtype="float16"),
    "bitsandbytes-nf4-f32": packed.FourBits(dtype="float32"),
    "bitsandbytes-int8": packed.EightBits(),
}


def config(architecture, **more):
    return {
        "architectures": [architecture], "hidden_size": DIM, "intermediate_size": FFN, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "max_position_embeddings": 64,
        "vocab_size": VOCABULARY, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
        "tie_word_embeddings": False, **more
    }


def write_folder(folder, settings, scheme, matrices, seed=1, bias=""):
    """A model whose matrices in layers are packed and whose other tensors are float32."""
    random = np.random.default_rng(seed)
    tensors = {
        "model.embed_tokens.weight": ("F32", random.normal(0, 1, (VOCABULARY, DIM))), "lm_head.weight":
            ("F32", random.normal(0, 0.05, (VOCABULARY, DIM))), "model.norm.weight": ("F32", random.normal(1, 0.1, DIM))
    }
    for i in range(LAYERS):
        p = f"model.layers.{i}"
        for name in ("input_layernorm", "post_attention_layernorm"):
            tensors[f"{p}.{name}.weight"] = "F32", random.normal(1, 0.1, DIM)
        for name in bias:
            tensors[f"{p}.self_attn.{name}_proj.bias"] = "F32", random.normal(0, 0.3,
                                                                              DIM if name == "q" else KV_HEADS * HEAD)
        if any("experts" in name for name in matrices):
            tensors[p + ".block_sparse_moe.gate.weight"] = "F32", random.normal(0, 0.1, (4, DIM))
        for name, (rows, columns) in matrices.items():
            tensors.update(scheme.pack(random, f"{p}.{name}", rows, columns))
    packed.write(folder / "model.safetensors", tensors)
    key = getattr(scheme, "key", "quantization_config")
    (folder / "config.json").write_text(json.dumps({**settings, key: scheme.config}))


def weights_of(folder, scheme, mistake=False):
    """All tensors of a folder by the names they would have unpacked, in float32."""
    stored, settings = packed.read(folder / "model.safetensors"), json.loads((folder / "config.json").read_text())
    out = {
        name: packed.floats(tensor)
        for name, tensor in stored.items()
        if tensor[0] == "F32" and not name.endswith(getattr(scheme, "companions", "scale"))
    }
    for name in stored:
        module = name[:-len(scheme.suffix)]
        if name.endswith(scheme.suffix) and module + scheme.unpacked not in out:
            out[module + scheme.unpacked] = scheme.evaluate(stored, settings, module, mistake)
    return out


def check_logits(ingle, folder, scheme, equation, what):
    settings = json.loads((folder / "config.json").read_text())

    def logits(mistake):
        return equation(
            settings, {name: values.astype(np.float64) for name, values in weights_of(folder, scheme, mistake).items()},
            IDS)

    return judged.judge_model(ingle, folder, IDS, what, TOLERANCE, logits(False), {"a mistake": logits(True)},
                              "--quant", "F32")


def check_bits(ingle, folder, scheme, what):
    """What is imported as floats has the bits that the evaluator gives; with its mistake it has others."""
    run(ingle, "import", folder, "-o", folder / "floats.gguf", "--quant", "F32")
    tensors = gguf_tensors.read(folder / "floats.gguf")
    right, wrong = weights_of(folder, scheme), weights_of(folder, scheme, True)
    for i in range(LAYERS):
        for name, gguf in IN_GGUF.items():
            own = tensors[f"blk.{i}.{gguf}.weight"].view(np.uint32)
            stated = right[f"model.layers.{i}.{name}.weight"].view(np.uint32)
            assert own.shape == stated.shape and (
                own == stated).all(), f"{what}: layer {i}, {name}: {(own != stated).sum()} values differ"
            other = wrong[f"model.layers.{i}.{name}.weight"].view(np.uint32)
            assert (own != other).any(), f"{what}: layer {i}, {name}: a mistake changes nothing"


def write_gpt_oss(folder):
    scheme, random, count = packed.Mxfp4(), np.random.default_rng(4), 6
    settings = config("GptOssForCausalLM",
                      head_dim=HEAD,
                      num_local_experts=count,
                      num_experts_per_tok=2,
                      sliding_window=5,
                      swiglu_limit=7.0,
                      layer_types=["sliding_attention", "full_attention"],
                      quantization_config=scheme.config,
                      rope_scaling={
                          "rope_type": "yarn", "factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": False,
                          "original_max_position_embeddings": 16
                      })
    normal = lambda scale, *shape: ("F32", random.normal(0, scale, shape))
    tensors = {"model.embed_tokens.weight": normal(1, VOCABULARY, DIM), "lm_head.weight": normal(0.05, VOCABULARY, DIM),
               "model.norm.weight": normal(1, DIM)}
    for i in range(LAYERS):
        p = f"model.layers.{i}"
        tensors.update(
            {f"{p}.{name}.weight": normal(1, DIM) for name in ("input_layernorm", "post_attention_layernorm")})
        for name, (rows, columns) in MATRICES.items():
            if "self_attn" in name:
                tensors[f"{p}.{name}.weight"], tensors[f"{p}.{name}.bias"] = normal(0.1, rows,
                                                                                    columns), normal(0.3, rows)
        tensors[p + ".self_attn.sinks"] = normal(1, HEADS)
        tensors[p + ".mlp.router.weight"], tensors[p + ".mlp.router.bias"] = normal(0.1, count, DIM), normal(0.3, count)
        experts = p + ".mlp.experts."
        tensors[experts + "gate_up_proj_bias"], tensors[experts + "down_proj_bias"] = normal(0.3, count,
                                                                                             2 * FFN), normal(
                                                                                                 0.3, count, DIM)
        tensors.update(scheme.pack(random, experts + "gate_up_proj", count, 2 * FFN, DIM))
        tensors.update(scheme.pack(random, experts + "down_proj", count, DIM, FFN))
    packed.write(folder / "model.safetensors", tensors)
    (folder / "config.json").write_text(json.dumps(settings))


def check_gpt_oss(ingle):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_gpt_oss(folder)
        scheme = packed.Mxfp4()
        error = check_logits(ingle, folder, scheme, equations.gpt_oss, "gpt-oss")
        tensors = gguf_tensors.read(folder / "imported.gguf")
        for mistake in (False, True):
            stated = weights_of(folder, packed.Mxfp4(), mistake)
            for i in range(LAYERS):
                both, down = (stated[f"model.layers.{i}.mlp.experts.{name}_proj"] for name in ("gate_up", "down"))
                for part, values in (("gate", both[:, ::2]), ("up", both[:, 1::2]), ("down", down)):
                    own = tensors[f"blk.{i}.ffn_{part}_exps.weight"].view(np.uint32)
                    values = values + np.float32(0)  # blocks of GGUF know one zero only
                    assert (own == values.view(np.uint32)).all() != mistake, f"MXFP4: {part}, mistaken {mistake}"
        # The same numbers as they are published in BF16: transposed.
        stored = packed.read(folder / "model.safetensors")
        for name in [name for name in stored if name.endswith("_blocks")]:
            values = scheme.evaluate(stored, None, name[:-len("_blocks")]).transpose(0, 2, 1)
            upper = np.ascontiguousarray(values).view(np.uint32) >> 16
            stored[name[:-len("_blocks")]] = "BF16", upper.astype(np.uint16)
        for name in [name for name in stored if name.endswith(("_blocks", "_scales"))]:
            del stored[name]
        with tempfile.TemporaryDirectory() as plain:
            plain = pathlib.Path(plain)
            packed.write(plain / "model.safetensors", stored)
            settings = json.loads((folder / "config.json").read_text())
            del settings["quantization_config"]
            (plain / "config.json").write_text(json.dumps(settings))
            run(ingle, "import", plain, "-o", plain / "floats.gguf", "--quant", "F32")
            run(ingle, "import", folder, "-o", folder / "floats.gguf", "--quant", "F32")
            theirs = gguf_tensors.read(folder / "floats.gguf")
            for name, values in gguf_tensors.read(plain / "floats.gguf").items():
                assert (values + np.float32(0) == theirs[name]).all(), f"gpt-oss in BF16: {name}"
    print(f"mxfp4: {error:.1e}")


def check_hybrid(ingle):
    """Gated delta nets of Qwen3.5, whose rows and columns come in another order when they are written as GGUF."""
    scheme, model = packed.Fp8("row", "compressed-tensors"), qwen_hybrid.model(5,
                                                                               "Qwen3_5ForCausalLM",
                                                                               4,
                                                                               rope_parameters=qwen_hybrid.ROPE)
    random, tensors = np.random.default_rng(6), {}
    for name, values in model.tensors.items():
        if any(part in name for part in ("in_proj_qkv", "in_proj_z", "out_proj", "q_proj", "mlp")):
            tensors.update(scheme.pack(random, name[:-len(".weight")], *values.shape))
        else:
            tensors[name] = "F32", values
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        packed.write(folder / "model.safetensors", tensors)
        (folder / "config.json").write_text(json.dumps({**model.config, "quantization_config": scheme.config}))
        error = check_logits(ingle, folder, scheme, model.equations, "Qwen3.5")
    print(f"gated delta nets in FP8: {error:.1e}")


def check_mlx_experts(ingle, mode):
    """Experts as MLX has them, all in one tensor, some of whose modules are in a mode of their own."""
    random, count, width = np.random.default_rng(7), 6, 128
    usual, own = packed.MlxFloats(mode), packed.Mlx(bits=8, group=32)
    shapes = {f"model.layers.{i}.mlp.switch_mlp.{name}_proj": (DIM, width) if name == "down" else (width, DIM)
              for i in range(LAYERS) for name in ("gate", "up", "down")}
    tensors = {"model.embed_tokens.weight": ("F32", random.normal(0, 1, (VOCABULARY, DIM))),
               "lm_head.weight": ("F32", random.normal(0, 0.05, (VOCABULARY, DIM))),
               "model.norm.weight": ("F32", random.normal(1, 0.1, DIM))}
    for i in range(LAYERS):
        p = f"model.layers.{i}"
        for name in ("input_layernorm", "post_attention_layernorm", "self_attn.q_norm", "self_attn.k_norm"):
            tensors[f"{p}.{name}.weight"] = "F32", random.normal(1, 0.1, HEAD if "self" in name else DIM)
        for name, (rows, columns) in MATRICES.items():
            if "self_attn" in name:
                tensors[f"{p}.{name}.weight"] = "F32", random.normal(0, 0.1, (rows, columns))
        tensors.update(own.pack(random, p + ".mlp.gate", count, DIM))
    for module, (rows, columns) in shapes.items():
        scheme = own if "down" in module else usual
        for name, (kind, values) in scheme.pack(random, module, count * rows, columns).items():
            tensors[name] = kind, values.reshape(count, rows, -1)
    modules = [f"model.layers.{i}.mlp.gate" for i in range(LAYERS)] + [name for name in shapes if "down" in name]
    settings = config("Qwen3MoeForCausalLM",
                      num_experts=count,
                      num_experts_per_tok=2,
                      moe_intermediate_size=width,
                      norm_topk_prob=True,
                      head_dim=HEAD,
                      quantization={**usual.config, **{module: {"group_size": 32, "bits": 8} for module in modules}})

    def logits(mistake):
        w = {name: values.astype(np.float64) for name, (kind, values) in tensors.items()
             if kind == "F32" and not name.endswith("scales")}
        for i in range(LAYERS):
            module = f"model.layers.{i}.mlp.gate"
            w[module + ".weight"] = own.evaluate(tensors, settings, module).astype(np.float64)
        for module, (rows, columns) in shapes.items():
            flat = {name: (kind, values.reshape(count * rows, -1)) for name, (kind, values) in tensors.items()
                    if name.startswith(module)}
            scheme = own if "down" in module else usual
            values = scheme.evaluate(flat, settings, module, mistake).astype(np.float64).reshape(count, rows, columns)
            for e in range(count):
                w[module.replace("switch_mlp", f"experts.{e}") + ".weight"] = values[e]
        return equations.qwen3_moe(settings, w, IDS)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        packed.write(folder / "model.safetensors", tensors)
        (folder / "config.json").write_text(json.dumps(settings))
        error = judged.judge_model(ingle, folder, IDS, "experts of MLX", TOLERANCE, logits(False),
                                   {"a mistake": logits(True)}, "--quant", "F32")
    print(f"experts of MLX, {mode}: {error:.1e}")


def check(ingle, name, scheme):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_folder(folder, config("Qwen2ForCausalLM"), scheme, MATRICES, bias="qkv")
        check_bits(ingle, folder, scheme, name)
        errors = [check_logits(ingle, folder, scheme, equations.llama, name)]
    # Rows of queries and keys in GGUF's order, matrices that are several in one, and experts.
    for architecture, matrices, equation, more in (("LlamaForCausalLM", MATRICES, equations.llama, {}),
                                                   ("Phi3ForCausalLM", FUSED, equations.phi3, {"sliding_window": 32}),
                                                   ("MixtralForCausalLM", EXPERTS, equations.mixtral,
                                                    {"num_local_experts": 4, "num_experts_per_tok": 2})):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            write_folder(folder, config(architecture, **more), scheme, matrices)
            errors.append(check_logits(ingle, folder, scheme, equation, f"{name} in {architecture}"))
    print(f"{name}: {max(errors):.1e}")


def main():
    ingle, names = sys.argv[1], sys.argv[2:] or CASES
    for name in names:
        check(ingle, name, CASES[name])
    if len(sys.argv) == 2:
        check_gpt_oss(ingle)
        check_hybrid(ingle)
        for mode in ("mxfp4", "nvfp4"):
            check_mlx_experts(ingle, mode)


if __name__ == "__main__":
    main()
