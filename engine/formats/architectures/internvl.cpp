/// InternVL: a tower with factors in front of Qwen2, Qwen3 or Llama. Source: transformers,
/// modeling_internvl.py, configuration_internvl.py, image_processing_got_ocr2.py.
#include <cmath>

#include "engine/formats/checkpoint/clip_tower.h"
#include "engine/formats/checkpoint/pixel_rules.h"
#include "engine/formats/checkpoint/vision_part.h"

namespace ingle::formats::internvl_architectures {
namespace {

constexpr std::string_view kImageParts[] = {"vision_tower.", "multi_modal_projector.", "model.vision_tower.",
                                            "model.multi_modal_projector."};

bool readsAs(const Config& config, std::string_view type) {
    return config.stringOr("model_type", "").value_or("") == type;
}
bool isQwen3(const Config& config) {
    return readsAs(config, "qwen3");
}
bool isLlama(const Config& config) {
    return readsAs(config, "llama");
}

/// Its windows are off.
Status setQwen(Translation& t) {
    INGLE_TRY(expectText(t.config, "model_type", "qwen2", {"qwen2", "qwen3", "internvl"}));
    INGLE_TRY(expectFlag(t.config, "use_sliding_window", false, false));
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    return setRope(t, sizes);
}
Status setLlama(Translation& t) {
    return setLlamaKeys(t);
}

constexpr TensorRule kVisionRules[] = {
    {"multi_modal_projector.layer_norm.weight", "mm.model.mlp.0.weight"},
    {"multi_modal_projector.layer_norm.bias", "mm.model.mlp.0.bias"},
    {"multi_modal_projector.linear_1.weight", "mm.model.mlp.1.weight"},
    {"multi_modal_projector.linear_1.bias", "mm.model.mlp.1.bias"},
    {"multi_modal_projector.linear_2.weight", "mm.model.mlp.3.weight"},
    {"multi_modal_projector.linear_2.bias", "mm.model.mlp.3.bias"},
    {"vision_tower.embeddings.cls_token", "v.class_embd", squeezed},
    {"vision_tower.embeddings.position_embeddings", "v.position_embd.weight", squeezed},
    {"vision_tower.embeddings.patch_embeddings.projection.weight", "v.patch_embd.weight"},
    {"vision_tower.embeddings.patch_embeddings.projection.bias", "v.patch_embd.bias"},
    {"vision_tower.encoder.layer.#.layernorm_before.weight", "v.blk.#.ln1.weight"},
    {"vision_tower.encoder.layer.#.layernorm_before.bias", "v.blk.#.ln1.bias"},
    {"vision_tower.encoder.layer.#.layernorm_after.weight", "v.blk.#.ln2.weight"},
    {"vision_tower.encoder.layer.#.layernorm_after.bias", "v.blk.#.ln2.bias"},
    {"vision_tower.encoder.layer.#.attention.q_proj.weight", "v.blk.#.attn_q.weight"},
    {"vision_tower.encoder.layer.#.attention.q_proj.bias", "v.blk.#.attn_q.bias"},
    {"vision_tower.encoder.layer.#.attention.k_proj.weight", "v.blk.#.attn_k.weight"},
    {"vision_tower.encoder.layer.#.attention.k_proj.bias", "v.blk.#.attn_k.bias"},
    {"vision_tower.encoder.layer.#.attention.v_proj.weight", "v.blk.#.attn_v.weight"},
    {"vision_tower.encoder.layer.#.attention.v_proj.bias", "v.blk.#.attn_v.bias"},
    {"vision_tower.encoder.layer.#.attention.projection_layer.weight", "v.blk.#.attn_out.weight"},
    {"vision_tower.encoder.layer.#.attention.projection_layer.bias", "v.blk.#.attn_out.bias"},
    {"vision_tower.encoder.layer.#.lambda_1", "v.blk.#.ls1.weight"},
    {"vision_tower.encoder.layer.#.lambda_2", "v.blk.#.ls2.weight"},
    {"vision_tower.encoder.layer.#.mlp.fc1.weight", "v.blk.#.ffn_up.weight"},
    {"vision_tower.encoder.layer.#.mlp.fc1.bias", "v.blk.#.ffn_up.bias"},
    {"vision_tower.encoder.layer.#.mlp.fc2.weight", "v.blk.#.ffn_down.weight"},
    {"vision_tower.encoder.layer.#.mlp.fc2.bias", "v.blk.#.ffn_down.bias"},
};

Status setVision(Translation& t) {
    INGLE_TRY(setClipTower(t, {.imageSize = 448, .patch = 14, .activation = "gelu"}));
    INGLE_TRY(expectText(t.config, "vision_config.norm_type", "layer_norm", {"layer_norm"}));
    INGLE_TRY(expectFlag(t.config, "vision_config.use_qk_norm", false, false));
    INGLE_TRY(expectText(t.config, "vision_feature_select_strategy", "default", {"default"}));
    INGLE_TRY(setProjectorActivation(t));
    INGLE_TRY_ASSIGN(const float ratio, t.config.f32Or("downsample_ratio", 0.5F));
    const auto factor = static_cast<uint32_t>(std::lround(1 / ratio));
    if (!(ratio > 0) || factor == 0 || ratio * static_cast<float>(factor) != 1)
        return fail(ErrorCode::Unsupported, "downsample_ratio {} is not supported", ratio);
    t.setCount("vision.projector.scale_factor", factor);
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("hidden_size"));
    t.setCount("vision.projection_dim", dim);
    INGLE_TRY_ASSIGN(const uint32_t numLayers, t.model.metadata.u32("clip.vision.block_count"));
    INGLE_TRY_ASSIGN(const auto features, featureLayers(t, "vision_feature_layer", -1));
    if (features != std::vector<int64_t>{numLayers})
        return fail(ErrorCode::Unsupported, "a vision_feature_layer that is not the last is not supported");
    return {};
}

Status setPixels(Translation& t, const Config& pixels) {
    setOwnResizing(t);
    INGLE_TRY_ASSIGN(const uint32_t least, pixels.u32Or("min_patches", 1, 1));
    INGLE_TRY_ASSIGN(const uint32_t most, pixels.u32Or("max_patches", 12, 12));
    t.setCount("vision.preproc_min_tiles", least);
    t.setCount("vision.preproc_max_tiles", most);
    // The model's own processor cuts pictures whatever crop_to_patches says.
    INGLE_TRY_ASSIGN(const uint32_t side, t.model.metadata.u32("clip.vision.image_size"));
    return expectForms(pixels, "size", kSquareForms, side);
}

constexpr VisionPart kVision{.projector = "internvl",
                             .setKeys = setVision,
                             .tensors = kVisionRules,
                             .mean = kClipMean,
                             .deviation = kClipDeviation,
                             .setPixels = setPixels};

constexpr TextStep kSteps[] = {TextStep::Nfc};
constexpr WordRules kWords{"qwen2", kSteps};

constexpr Architecture kArchitectures[] = {
    {.name = "InternVLForConditionalGeneration",
     .family = "qwen2",
     .setKeys = setQwen,
     .ignored = kImageParts,
     .words = kWords,
     .vision = &kVision},
    {.name = "InternVLForConditionalGeneration",
     .family = "qwen3",
     .setKeys = setQwen,
     .ignored = kImageParts,
     .suits = isQwen3,
     .words = kWords,
     .vision = &kVision},
    {.name = "InternVLForConditionalGeneration",
     .family = "llama",
     .setKeys = setLlama,
     .ignored = kImageParts,
     .rotaryPairs = RotaryPairs::Halves,
     .suits = isLlama,
     .vision = &kVision},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::internvl_architectures
