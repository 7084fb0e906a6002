"""The language model of Qwen3-VL with experts: a small model with random weights, whose experts are stored as
transformers' modeling_qwen3_vl_moe.py turns them when it reads them."""
import numpy as np

import equations
from tiny_models import DIM, Model, decoder, usual

EXPERTS, EXPERT_DIM = 6, 48


def qwen3_vl_moe(config, w, ids, neighbours=False, up_first=False):
    """Qwen3's mixture. Mistake: up lies before gate."""
    own = {name.replace("language_model.", ""): values for name, values in w.items()}
    for i in range(config["text_config"]["num_hidden_layers"]):
        p = f"model.layers.{i}.mlp.experts."
        for e in range(EXPERTS):
            halves = np.split(own[p + "gate_up_proj"][e], 2, -1)
            gate, up = reversed(halves) if up_first else halves
            own.update({f"{p}{e}.gate_proj.weight": gate.T, f"{p}{e}.up_proj.weight": up.T,
                        f"{p}{e}.down_proj.weight": own[p + "down_proj"][e].T})
    settings = {**config["text_config"], "rope_parameters": {}}
    return equations.qwen3_moe(settings, own, ids, neighbours=neighbours)


qwen3_vl_moe.mistakes = {"pairs in the wrong order": {"neighbours": True}, "up before gate": {"up_first": True}}


def qwen3_vl_moe_text():
    text = usual("",
                 model_type="qwen3_vl_moe_text",
                 num_experts=EXPERTS,
                 num_experts_per_tok=2,
                 moe_intermediate_size=EXPERT_DIM,
                 norm_topk_prob=True,
                 decoder_sparse_step=1,
                 mlp_only_layers=[],
                 head_dim=16,
                 rope_theta=5e6,
                 rope_scaling={"rope_type": "default", "mrope_interleaved": True, "mrope_section": [4, 2, 2]})
    del text["architectures"]

    def ffn(t, p):
        t.matrix(p + ".mlp.gate", EXPERTS, DIM)
        t[p + ".mlp.experts.gate_up_proj"] = t.random.normal(0, 0.2, (EXPERTS, DIM, 2 * EXPERT_DIM))
        t[p + ".mlp.experts.down_proj"] = t.random.normal(0, 0.2, (EXPERTS, EXPERT_DIM, DIM))
    inner = decoder(84, text, qk_norm=True, ffn=ffn)
    tensors = {name.replace("model.", "model.language_model.", 1): values for name, values in inner.items()}
    tensors["model.visual.blocks.0.attn.proj.bias"] = np.ones(3)
    config = {"architectures": ["Qwen3VLMoeForConditionalGeneration"], "model_type": "qwen3_vl_moe",
              "text_config": text}
    return Model(config, tensors, qwen3_vl_moe)


MODELS = {"qwen3_vl_moe_text": qwen3_vl_moe_text}
