/// Towers of CLIP and SigLIP as folders of Hugging Face hold them. Sources: transformers, modeling_clip.py,
/// modeling_siglip.py, modeling_idefics3.py.
#pragma once

#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats {

inline constexpr TensorRule kClipTowerRules[] = {
    {"vision_tower.embeddings.class_embedding", "v.class_embd"},
    {"vision_tower.embeddings.patch_embedding.weight", "v.patch_embd.weight"},
    {"vision_tower.embeddings.patch_embedding.bias", "v.patch_embd.bias"},
    {"vision_tower.embeddings.position_embedding.weight", "v.position_embd.weight"},
    {"vision_tower.embeddings.position_ids", ""},
    {"vision_tower.pre_layrnorm.weight", "v.pre_ln.weight"},
    {"vision_tower.pre_layrnorm.bias", "v.pre_ln.bias"},
    {"vision_tower.post_layernorm.weight", "v.post_ln.weight"},
    {"vision_tower.post_layernorm.bias", "v.post_ln.bias"},
    {"vision_tower.encoder.layers.#.layer_norm1.weight", "v.blk.#.ln1.weight"},
    {"vision_tower.encoder.layers.#.layer_norm1.bias", "v.blk.#.ln1.bias"},
    {"vision_tower.encoder.layers.#.layer_norm2.weight", "v.blk.#.ln2.weight"},
    {"vision_tower.encoder.layers.#.layer_norm2.bias", "v.blk.#.ln2.bias"},
    {"vision_tower.encoder.layers.#.self_attn.q_proj.weight", "v.blk.#.attn_q.weight"},
    {"vision_tower.encoder.layers.#.self_attn.q_proj.bias", "v.blk.#.attn_q.bias"},
    {"vision_tower.encoder.layers.#.self_attn.k_proj.weight", "v.blk.#.attn_k.weight"},
    {"vision_tower.encoder.layers.#.self_attn.k_proj.bias", "v.blk.#.attn_k.bias"},
    {"vision_tower.encoder.layers.#.self_attn.v_proj.weight", "v.blk.#.attn_v.weight"},
    {"vision_tower.encoder.layers.#.self_attn.v_proj.bias", "v.blk.#.attn_v.bias"},
    {"vision_tower.encoder.layers.#.self_attn.out_proj.weight", "v.blk.#.attn_out.weight"},
    {"vision_tower.encoder.layers.#.self_attn.out_proj.bias", "v.blk.#.attn_out.bias"},
    {"vision_tower.encoder.layers.#.mlp.fc1.weight", "v.blk.#.ffn_up.weight"},
    {"vision_tower.encoder.layers.#.mlp.fc1.bias", "v.blk.#.ffn_up.bias"},
    {"vision_tower.encoder.layers.#.mlp.fc2.weight", "v.blk.#.ffn_down.weight"},
    {"vision_tower.encoder.layers.#.mlp.fc2.bias", "v.blk.#.ffn_down.bias"},
};

/// What the pixels of CLIP's pictures are normalised with.
inline constexpr std::array kClipMean{0.48145466, 0.4578275, 0.40821073};
inline constexpr std::array kClipDeviation{0.26862954, 0.26130258, 0.27577711};

/// What config.json leaves to the class that reads it.
struct UsualTower {
    uint32_t imageSize = 224, patch = 16;
    double epsilon = 1e-6;
    std::string_view activation = "gelu_pytorch_tanh";
};
/// Sets the tower's sizes, norms and activation. Errors: Corrupt, Unsupported.
Status setClipTower(Translation& translation, const UsualTower& usual = {});
/// Patches of a picture on a side. After setClipTower(). Errors: Corrupt.
Result<uint32_t> patchesOnSide(const Translation& translation);

}  // namespace ingle::formats
