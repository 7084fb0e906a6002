/// The tower of Pixtral and Mistral Small 3 as folders of Hugging Face hold it. Source: transformers,
/// modeling_pixtral.py, image_processing_pixtral.py, processing_pixtral.py.
#pragma once

#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats {

inline constexpr TensorRule kPixtralTowerRules[] = {
    {"multi_modal_projector.linear_1.weight", "mm.1.weight"},
    {"multi_modal_projector.linear_1.bias", "mm.1.bias"},
    {"multi_modal_projector.linear_2.weight", "mm.2.weight"},
    {"multi_modal_projector.linear_2.bias", "mm.2.bias"},
    {"vision_tower.patch_conv.weight", "v.patch_embd.weight"},
    {"vision_tower.ln_pre.weight", "v.pre_ln.weight"},
    {"vision_tower.transformer.layers.#.attention_norm.weight", "v.blk.#.ln1.weight"},
    {"vision_tower.transformer.layers.#.ffn_norm.weight", "v.blk.#.ln2.weight"},
    {"vision_tower.transformer.layers.#.attention.q_proj.weight", "v.blk.#.attn_q.weight"},
    {"vision_tower.transformer.layers.#.attention.k_proj.weight", "v.blk.#.attn_k.weight"},
    {"vision_tower.transformer.layers.#.attention.v_proj.weight", "v.blk.#.attn_v.weight"},
    {"vision_tower.transformer.layers.#.attention.o_proj.weight", "v.blk.#.attn_out.weight"},
    {"vision_tower.transformer.layers.#.feed_forward.gate_proj.weight", "v.blk.#.ffn_gate.weight"},
    {"vision_tower.transformer.layers.#.feed_forward.up_proj.weight", "v.blk.#.ffn_up.weight"},
    {"vision_tower.transformer.layers.#.feed_forward.down_proj.weight", "v.blk.#.ffn_down.weight"},
};

/// As VisionPart has them. `finishPixtral` adds the row that ends a line: the text model's embedding of
/// "[IMG_BREAK]".
Status setPixtralTower(Translation& translation);
Status setPixtralPixels(Translation& translation, const Config& pixels);
Status finishPixtral(Translation& translation, Checkpoint& checkpoint, const io::Source& source);

}  // namespace ingle::formats
