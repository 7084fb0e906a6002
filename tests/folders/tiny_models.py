"""Small models with random weights, as Hugging Face's files hold them: config.json and tensors by name."""
import collections

import numpy as np

import equations

Model = collections.namedtuple("Model", "config tensors equations")
DIM, FFN, HEADS, KV_HEADS, VOCABULARY, LAYERS, CONTEXT = 64, 96, 4, 2, 96, 3, 64


class Tensors(dict):
    def __init__(self, seed):
        super().__init__()
        self.random = np.random.default_rng(seed)

    def matrix(self, name, rows, columns):
        self[name + ".weight"] = self.random.normal(0, 1.5 / np.sqrt(columns), (rows, columns))

    def norm(self, name, size, centre=1.0, bias=False):
        self[name + ".weight"] = self.random.normal(centre, 0.1, size)
        if bias:
            self[name + ".bias"] = self.random.normal(0, 0.1, size)

    def bias(self, name, size):
        self[name + ".bias"] = self.random.normal(0, 0.3, size)

    def table(self, name, rows=VOCABULARY, columns=DIM):
        self[name + ".weight"] = self.random.normal(0, 1, (rows, columns))


def usual(architecture, **more):
    return {
        "architectures": [architecture], "hidden_size": DIM, "intermediate_size": FFN, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "max_position_embeddings": CONTEXT,
        "vocab_size": VOCABULARY, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
        "tie_word_embeddings": False, **more
    }


def attention(t, p, head_dim=DIM // HEADS, bias=(), out="o_proj", heads=HEADS, kv_heads=KV_HEADS):
    for name, count in (("q_proj", heads), ("k_proj", kv_heads), ("v_proj", kv_heads)):
        t.matrix(f"{p}.self_attn.{name}", count * head_dim, DIM)
        if name[0] in bias:
            t.bias(f"{p}.self_attn.{name}", count * head_dim)
    t.matrix(f"{p}.self_attn.{out}", DIM, heads * head_dim)


def gated(t, p, width=FFN, names=("gate_proj", "up_proj", "down_proj")):
    t.matrix(f"{p}.{names[0]}", width, DIM)
    t.matrix(f"{p}.{names[1]}", width, DIM)
    t.matrix(f"{p}.{names[2]}", DIM, width)


def around(t, config, centre=1.0, bias=False, norm="model.norm"):
    t.table("model.embed_tokens")
    t.norm(norm, DIM, centre, bias)
    if not config.get("tie_word_embeddings"):
        t.table("lm_head")


def decoder(seed, config, bias=(), qk_norm=False, ffn=None):
    t = Tensors(seed)
    around(t, config)
    head_dim = config.get("head_dim", DIM // HEADS)
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}"
        for name in ("input_layernorm", "post_attention_layernorm"):
            t.norm(f"{p}.{name}", DIM)
        attention(t, p, head_dim, bias)
        if qk_norm:
            t.norm(p + ".self_attn.q_norm", head_dim)
            t.norm(p + ".self_attn.k_norm", head_dim)
        ffn(t, p) if ffn else gated(t, p + ".mlp")
    return t


def llama():
    config = usual("LlamaForCausalLM", model_type="llama")
    return Model(config, decoder(1, config), equations.llama)


def llama3():
    config = usual("LlamaForCausalLM", tie_word_embeddings=True, head_dim=32, rope_theta=500000.0,
                   rope_scaling={"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                 "original_max_position_embeddings": 32})
    return Model(config, decoder(2, config), equations.llama)


def llama_linear():
    config = usual("LlamaForCausalLM", rope_scaling={"type": "linear", "factor": 4.0})
    return Model(config, decoder(3, config, bias="qkv"), equations.llama)


def mistral_yarn():
    config = usual("MistralForCausalLM", sliding_window=None,
                   rope_scaling={"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16})
    return Model(config, decoder(4, config), equations.llama)


def mixtral():
    def ffn(t, p):
        t.matrix(p + ".block_sparse_moe.gate", 4, DIM)
        for e in range(4):
            gated(t, f"{p}.block_sparse_moe.experts.{e}", names=("w1", "w3", "w2"))
    config = usual("MixtralForCausalLM", num_local_experts=4, num_experts_per_tok=2)
    return Model(config, decoder(5, config, ffn=ffn), equations.mixtral)


def smollm3():
    config = usual("SmolLM3ForCausalLM", num_hidden_layers=4, tie_word_embeddings=True, no_rope_layers=[1, 1, 1, 0])
    return Model(config, decoder(6, config), equations.smollm3)


def ministral3():
    config = usual("Ministral3ForCausalLM",
                   rope_parameters={
                       "rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0, "original_max_position_embeddings": 16,
                       "beta_fast": 32.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0,
                       "llama_4_scaling_beta": 0.1
                   })
    del config["rope_theta"]
    return Model(config, decoder(7, config), equations.ministral3)


def qwen2():
    config = usual("Qwen2ForCausalLM", use_sliding_window=False, sliding_window=8, rope_theta=1e6)
    return Model(config, decoder(8, config, bias="qkv"), equations.llama)


def qwen3():
    config = usual("Qwen3ForCausalLM", head_dim=32, tie_word_embeddings=True)
    return Model(config, decoder(9, config, qk_norm=True), equations.qwen3)


def qwen_experts(t, p):
    t.matrix(p + ".mlp.gate", 12, DIM)
    for e in range(12):
        gated(t, f"{p}.mlp.experts.{e}", 48)


def qwen2_moe():
    def ffn(t, p):
        qwen_experts(t, p)
        gated(t, p + ".mlp.shared_expert", 80)
        t.matrix(p + ".mlp.shared_expert_gate", 1, DIM)
    config = usual("Qwen2MoeForCausalLM", num_experts=12, num_experts_per_tok=3, moe_intermediate_size=48,
                   shared_expert_intermediate_size=80, norm_topk_prob=False, decoder_sparse_step=1, mlp_only_layers=[])
    return Model(config, decoder(10, config, bias="qkv", ffn=ffn), equations.qwen2_moe)


def qwen3_moe():
    config = usual("Qwen3MoeForCausalLM",
                   num_experts=12,
                   num_experts_per_tok=3,
                   moe_intermediate_size=48,
                   norm_topk_prob=True,
                   head_dim=16)
    return Model(config, decoder(11, config, qk_norm=True, ffn=qwen_experts), equations.qwen3_moe)


def gemma(kind="gemma", architecture="GemmaForCausalLM", seed=12, layers=3, counts=(HEADS, KV_HEADS), **more):
    config = usual(architecture,
                   model_type=kind,
                   head_dim=32,
                   hidden_activation="gelu_pytorch_tanh",
                   num_hidden_layers=layers,
                   **more)
    del config["tie_word_embeddings"], config["hidden_act"]
    t = Tensors(seed)
    around(t, {"tie_word_embeddings": True}, 0.0)
    names = ["input_layernorm", "post_attention_layernorm"]
    if kind != "gemma":
        names += ["pre_feedforward_layernorm", "post_feedforward_layernorm"]
    for i in range(layers):
        p = f"model.layers.{i}"
        for name in names:
            t.norm(f"{p}.{name}", DIM, 0.0)
        attention(t, p, 32, heads=counts[0], kv_heads=counts[1])
        if kind == "gemma3_text":
            t.norm(p + ".self_attn.q_norm", 32, 0.0)
            t.norm(p + ".self_attn.k_norm", 32, 0.0)
        gated(t, p + ".mlp")
    return Model(config, t, equations.gemma)


def gemma2():
    return gemma("gemma2",
                 "Gemma2ForCausalLM",
                 13,
                 query_pre_attn_scalar=32,
                 sliding_window=8,
                 attn_logit_softcapping=20.0,
                 final_logit_softcapping=10.0)


def gemma3(counts=(HEADS, KV_HEADS)):
    return gemma("gemma3_text",
                 "Gemma3ForCausalLM",
                 14,
                 4,
                 counts,
                 query_pre_attn_scalar=32,
                 sliding_window=8,
                 sliding_window_pattern=3,
                 rope_theta=1e6,
                 rope_local_base_freq=10000.0,
                 rope_scaling={"rope_type": "linear", "factor": 8.0})


def gemma3_with_images():
    """The text model inside a model of text and images; what configuration_gemma3.py says by itself is not stated."""
    inner = gemma3((8, 4))
    for key in ("num_attention_heads", "num_key_value_heads", "max_position_embeddings"):
        del inner.config[key]
    config = {"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3", "text_config": inner.config}
    tensors = {"language_model." + name: values for name, values in inner.tensors.items()}
    tensors["vision_tower.vision_model.embeddings.patch_embedding.weight"] = np.ones((2, 3, 4, 4))
    tensors["multi_modal_projector.mm_soft_emb_norm.weight"] = np.ones(3)

    def text(config, w, ids, **other):
        own = {
            name[len("language_model."):]: values for name, values in w.items() if name.startswith("language_model.")
        }
        return equations.gemma(config["text_config"], own, ids, **other)
    return Model(config, tensors, text)


def phi3(seed=15, **more):
    config = usual("Phi3ForCausalLM", sliding_window=12, **more)
    t = Tensors(seed)
    around(t, config)
    for i in range(LAYERS):
        p = f"model.layers.{i}"
        for name in ("input_layernorm", "post_attention_layernorm"):
            t.norm(f"{p}.{name}", DIM)
        t.matrix(p + ".self_attn.qkv_proj", DIM + 2 * KV_HEADS * DIM // HEADS, DIM)
        t.matrix(p + ".self_attn.o_proj", DIM, DIM)
        t.matrix(p + ".mlp.gate_up_proj", 2 * FFN, DIM)
        t.matrix(p + ".mlp.down_proj", DIM, FFN)
    return Model(config, t, equations.phi3)


def phi3_long():
    """Conversations no longer than the original context: short factors."""
    return phi3(16,
                original_max_position_embeddings=40,
                rope_scaling={
                    "type": "longrope", "short_factor": [1.0 + 0.1 * i for i in range(8)],
                    "long_factor": [2.0 + i for i in range(8)]
                })


def glm4():
    config = usual("Glm4ForCausalLM", head_dim=32, partial_rotary_factor=0.5)
    t = Tensors(17)
    around(t, config)
    for i in range(LAYERS):
        p = f"model.layers.{i}"
        for name in ("input_layernorm", "post_attention_layernorm", "post_self_attn_layernorm", "post_mlp_layernorm"):
            t.norm(f"{p}.{name}", DIM)
        attention(t, p, 32, "qkv")
        t.matrix(p + ".mlp.gate_up_proj", 2 * FFN, DIM)
        t.matrix(p + ".mlp.down_proj", DIM, FFN)
    return Model(config, t, equations.glm4)


def chatglm():
    config = {
        "architectures": ["ChatGLMModel"], "num_layers": LAYERS, "hidden_size": DIM, "ffn_hidden_size": FFN,
        "kv_channels": 16, "num_attention_heads": HEADS, "multi_query_attention": True,
        "multi_query_group_num": KV_HEADS, "layernorm_epsilon": 1e-5, "rmsnorm": True, "add_qkv_bias": True,
        "add_bias_linear": False, "seq_length": CONTEXT, "padded_vocab_size": VOCABULARY, "post_layer_norm": True,
        "apply_residual_connection_post_layernorm": False, "rope_ratio": 2, "tie_word_embeddings": False
    }
    t = Tensors(18)
    t.table("transformer.embedding.word_embeddings")
    t.table("transformer.output_layer")
    t.norm("transformer.encoder.final_layernorm", DIM)
    t["transformer.rotary_pos_emb.inv_freq"] = np.ones(4)
    for i in range(LAYERS):
        p = f"transformer.encoder.layers.{i}"
        t.norm(p + ".input_layernorm", DIM)
        t.norm(p + ".post_attention_layernorm", DIM)
        t.matrix(p + ".self_attention.query_key_value", DIM + 2 * KV_HEADS * 16, DIM)
        t.bias(p + ".self_attention.query_key_value", DIM + 2 * KV_HEADS * 16)
        t.matrix(p + ".self_attention.dense", DIM, DIM)
        t.matrix(p + ".mlp.dense_h_to_4h", 2 * FFN, DIM)
        t.matrix(p + ".mlp.dense_4h_to_h", DIM, FFN)
    return Model(config, t, equations.chatglm)


def chatglm1():
    config = {
        "architectures": ["ChatGLMModel"], "num_layers": LAYERS, "hidden_size": DIM, "inner_hidden_size": 4 * DIM,
        "num_attention_heads": HEADS, "layernorm_epsilon": 1e-5, "max_sequence_length": CONTEXT,
        "position_encoding_2d": True, "vocab_size": VOCABULARY, "bos_token_id": 90, "eos_token_id": 91,
        "gmask_token_id": 13
    }
    t = Tensors(31)
    t.table("transformer.word_embeddings")
    t.table("lm_head")
    t.norm("transformer.final_layernorm", DIM, bias=True)
    for i in range(LAYERS):
        p = f"transformer.layers.{i}"
        t.norm(p + ".input_layernorm", DIM, bias=True)
        t.norm(p + ".post_attention_layernorm", DIM, bias=True)
        t[p + ".attention.rotary_emb.inv_freq"] = np.ones(4)
        for name, rows, columns in ((".attention.query_key_value", 3 * DIM, DIM), (".attention.dense", DIM, DIM),
                                    (".mlp.dense_h_to_4h", 4 * DIM, DIM), (".mlp.dense_4h_to_h", DIM, 4 * DIM)):
            t.matrix(p + name, rows, columns)
            t.bias(p + name, rows)
    return Model(config, t, equations.chatglm1)


def baichuan(layers=32, seed=19, **more):
    config = usual("BaichuanForCausalLM", num_hidden_layers=layers, **more)
    del config["num_key_value_heads"], config["rope_theta"]
    t = Tensors(seed)
    around(t, config)
    for i in range(layers):
        p = f"model.layers.{i}"
        t.norm(p + ".input_layernorm", DIM)
        t.norm(p + ".post_attention_layernorm", DIM)
        t.matrix(p + ".self_attn.W_pack", 3 * DIM, DIM)
        t.matrix(p + ".self_attn.o_proj", DIM, DIM)
        gated(t, p + ".mlp", 32)
    config["intermediate_size"] = 32
    return Model(config, t, equations.baichuan)


def baichuan13():
    model = baichuan(40, 20, model_max_length=CONTEXT)
    del model.config["max_position_embeddings"]
    return model


def stablelm(seed=21, parallel=False):
    config = usual("StableLmForCausalLM", layer_norm_eps=1e-5, partial_rotary_factor=0.25, use_qkv_bias=True,
                   use_parallel_residual=parallel, qk_layernorm=parallel)
    del config["rms_norm_eps"]
    t = Tensors(seed)
    around(t, config, bias=True)
    for i in range(LAYERS):
        p = f"model.layers.{i}"
        t.norm(p + ".input_layernorm", DIM, bias=True)
        attention(t, p, bias="qkv")
        if parallel:
            for name, count in (("q", HEADS), ("k", KV_HEADS)):
                for head in range(count):
                    t.norm(f"{p}.self_attn.{name}_layernorm.norms.{head}", DIM // HEADS)
        else:
            t.norm(p + ".post_attention_layernorm", DIM, bias=True)
        gated(t, p + ".mlp")
    return Model(config, t, equations.stablelm)


def stablelm_parallel():
    return stablelm(22, True)


def lfm2():
    kinds = ["conv", "full_attention", "conv", "full_attention"]
    config = usual("Lfm2ForCausalLM",
                   num_hidden_layers=4,
                   layer_types=kinds,
                   conv_L_cache=3,
                   conv_bias=False,
                   norm_eps=1e-5,
                   rope_theta=1e6,
                   tie_word_embeddings=True,
                   block_auto_adjust_ff_dim=True)
    del config["rms_norm_eps"], config["intermediate_size"]
    t = Tensors(23)
    around(t, config, norm="model.embedding_norm")
    for i, kind in enumerate(kinds):
        p = f"model.layers.{i}"
        t.norm(p + ".operator_norm", DIM)
        t.norm(p + ".ffn_norm", DIM)
        gated(t, p + ".feed_forward", names=("w1", "w3", "w2"))
        if kind == "conv":
            t.matrix(p + ".conv.in_proj", 3 * DIM, DIM)
            t.matrix(p + ".conv.out_proj", DIM, DIM)
            t[p + ".conv.conv.weight"] = t.random.normal(0, 0.5, (DIM, 1, 3))
        else:
            attention(t, p, out="out_proj")
            t.norm(p + ".self_attn.q_layernorm", DIM // HEADS)
            t.norm(p + ".self_attn.k_layernorm", DIM // HEADS)
    return Model(config, t, equations.lfm2)


def granite_hybrid(seed=24, experts=0, positions="rope", kinds=("mamba", "attention", "mamba")):
    config = usual("GraniteMoeHybridForCausalLM",
                   layer_types=list(kinds),
                   embedding_multiplier=3.0,
                   residual_multiplier=0.5,
                   attention_multiplier=0.2,
                   logits_scaling=2.0,
                   position_embedding_type=positions,
                   shared_intermediate_size=80,
                   mamba_n_heads=8,
                   mamba_d_head=16,
                   mamba_d_state=16,
                   mamba_n_groups=1,
                   mamba_d_conv=4,
                   mamba_expand=2,
                   num_local_experts=experts,
                   num_experts_per_tok=2,
                   tie_word_embeddings=True)
    t = Tensors(seed)
    around(t, config)
    for i, kind in enumerate(kinds):
        p = f"model.layers.{i}"
        t.norm(p + ".input_layernorm", DIM)
        t.norm(p + ".post_attention_layernorm", DIM)
        t.matrix(p + ".shared_mlp.input_linear", 160, DIM)
        t.matrix(p + ".shared_mlp.output_linear", DIM, 80)
        if experts:
            t.matrix(p + ".block_sparse_moe.router.layer", experts, DIM)
            t[p + ".block_sparse_moe.input_linear.weight"] = t.random.normal(0, 0.2, (experts, 2 * FFN, DIM))
            t[p + ".block_sparse_moe.output_linear.weight"] = t.random.normal(0, 0.2, (experts, DIM, FFN))
        if kind in ("attention", "full_attention"):
            attention(t, p)
            continue
        t.matrix(p + ".mamba.in_proj", 2 * 128 + 2 * 16 + 8, DIM)
        t.matrix(p + ".mamba.out_proj", DIM, 128)
        t[p + ".mamba.conv1d.weight"] = t.random.normal(0, 0.5, (128 + 32, 1, 4))
        t.bias(p + ".mamba.conv1d", 128 + 32)
        t[p + ".mamba.A_log"] = np.log(t.random.uniform(1, 8, 8))
        t[p + ".mamba.D"] = t.random.normal(1, 0.2, 8)
        t[p + ".mamba.dt_bias"] = t.random.normal(-1, 0.5, 8)
        t.norm(p + ".mamba.norm", 128)
    return Model(config, t, equations.granite_hybrid)


def granite_hybrid_experts():
    """Layers are called as transformers does since its version 5."""
    return granite_hybrid(25, 4, kinds=("linear_attention", "full_attention", "linear_attention"))


def seed_oss():
    config = usual("SeedOssForCausalLM", head_dim=32, attention_bias=True)
    return Model(config, decoder(27, config, bias="qkv"), equations.llama)


def olmoe():
    def ffn(t, p):
        t.norm(p + ".self_attn.q_norm", DIM)
        t.norm(p + ".self_attn.k_norm", KV_HEADS * DIM // HEADS)
        t.matrix(p + ".mlp.gate", 12, DIM)
        for e in range(12):
            gated(t, f"{p}.mlp.experts.{e}", 48)
    config = usual("OlmoeForCausalLM", num_experts=12, num_experts_per_tok=3, norm_topk_prob=False, clip_qkv=None)
    config["intermediate_size"] = 48
    return Model(config, decoder(28, config, ffn=ffn), equations.olmoe)


def starcoder2():
    config = usual("Starcoder2ForCausalLM",
                   norm_epsilon=1e-5,
                   use_bias=True,
                   hidden_act="gelu_pytorch_tanh",
                   sliding_window=None)
    del config["rms_norm_eps"], config["tie_word_embeddings"]
    t = Tensors(29)
    around(t, {"tie_word_embeddings": True}, bias=True)
    for i in range(LAYERS):
        p = f"model.layers.{i}"
        t.norm(p + ".input_layernorm", DIM, bias=True)
        t.norm(p + ".post_attention_layernorm", DIM, bias=True)
        attention(t, p, bias="qkv")
        t.bias(p + ".self_attn.o_proj", DIM)
        t.matrix(p + ".mlp.c_fc", FFN, DIM)
        t.bias(p + ".mlp.c_fc", FFN)
        t.matrix(p + ".mlp.c_proj", DIM, FFN)
        t.bias(p + ".mlp.c_proj", DIM)
    return Model(config, t, equations.starcoder2)


def rwkv7():
    config = {
        "architectures": ["RWKV7ForCausalLM"], "hidden_size": DIM, "num_hidden_layers": 2, "head_dim": 16,
        "hidden_act": "sqrelu", "norm_eps": 1e-5, "norm_first": True, "norm_bias": True, "vocab_size": VOCABULARY,
        "tie_word_embeddings": False, "attn": None
    }
    t = Tensors(26)
    t.table("model.embeddings")
    t.table("lm_head")
    t.norm("model.norm", DIM, bias=True)
    t.norm("model.layers.0.pre_norm", DIM, bias=True)
    for i in range(2):
        p = f"model.layers.{i}.attn"
        t.norm(p + "_norm", DIM, bias=True)
        t.norm(f"model.layers.{i}.ffn_norm", DIM, bias=True)
        for letter in "rwkvag":
            t[f"{p}.x_{letter}"] = t.random.uniform(0, 1, (1, 1, DIM))
        for name in ("k_k", "k_a"):
            t[f"{p}.{name}"] = t.random.normal(0.8, 0.2, DIM)
        t[p + ".r_k"] = t.random.normal(0, 0.3, (DIM // 16, 16))
        for name in ("r_proj", "k_proj", "v_proj", "o_proj"):
            t.matrix(f"{p}.{name}", DIM, DIM)
        for name, rank in (("w", 8), ("a", 8), ("v", 4), ("g", 16)):
            if name == "v" and i == 0:
                continue
            t.matrix(f"{p}.{name}_lora.lora.0", rank, DIM)
            t.matrix(f"{p}.{name}_lora.lora.2", DIM, rank)
            if name != "g":
                t.bias(f"{p}.{name}_lora.lora.2", DIM)
        t.norm(p + ".g_norm", DIM, bias=True)
        t[f"model.layers.{i}.ffn.x_k"] = t.random.uniform(0, 1, DIM)
        t.matrix(f"model.layers.{i}.ffn.key", 4 * DIM, DIM)
        t.matrix(f"model.layers.{i}.ffn.value", DIM, 4 * DIM)
    return Model(config, t, equations.rwkv7)


MODELS = {
    each.__name__: each
    for each in (llama, llama3, llama_linear, mistral_yarn, mixtral, smollm3, ministral3, qwen2, qwen3, qwen2_moe,
                 qwen3_moe, gemma, gemma2, gemma3, gemma3_with_images, phi3, phi3_long, glm4, chatglm, chatglm1,
                 baichuan, baichuan13, stablelm, stablelm_parallel, lfm2, granite_hybrid, granite_hybrid_experts, rwkv7,
                 seed_oss, olmoe, starcoder2)
}
