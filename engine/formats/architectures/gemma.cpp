/// Gemma 1-3: norms multiply by 1 + their weight. Sources: transformers, modeling_gemma.py,
/// modeling_gemma2.py, modeling_gemma3.py.
#include <cmath>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/clip_tower.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/checkpoint/pixel_rules.h"
#include "engine/formats/checkpoint/vision_part.h"

namespace ingle::formats::gemma_architectures {
namespace {

constexpr TensorRule kGemmaRules[] = {
    {"model.norm.weight", "output_norm.weight", addOne},
    {"model.layers.#.input_layernorm.weight", "blk.#.attn_norm.weight", addOne},
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.ffn_norm.weight", addOne},
};

/// Of Gemma 2 and 3, with norms behind both halves of a layer.
constexpr TensorRule kSandwichRules[] = {
    {"model.norm.weight", "output_norm.weight", addOne},
    {"model.layers.#.input_layernorm.weight", "blk.#.attn_norm.weight", addOne},
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.post_attention_norm.weight", addOne},
    {"model.layers.#.pre_feedforward_layernorm.weight", "blk.#.ffn_norm.weight", addOne},
    {"model.layers.#.post_feedforward_layernorm.weight", "blk.#.post_ffw_norm.weight", addOne},
    {"model.layers.#.self_attn.q_norm.weight", "blk.#.attn_q_norm.weight", addOne},
    {"model.layers.#.self_attn.k_norm.weight", "blk.#.attn_k_norm.weight", addOne},
};

constexpr std::string_view kImageParts[] = {"vision_tower.", "multi_modal_projector.", "model.vision_tower.",
                                            "model.multi_modal_projector."};

/// What it is not stated for is in the class that reads the configuration.
Result<DecoderSizes> setSizes(Translation& t, uint32_t usualHeadDim, const DecoderNames& names = {}) {
    // Of the two, the one that holds null is not used. The older one means the same by "gelu".
    constexpr std::string_view kTanh = "gelu_pytorch_tanh";
    if (!t.config.isNull("hidden_activation"))
        INGLE_TRY(expectText(t.config, "hidden_activation", kTanh, {kTanh}));
    if (!t.config.isNull("hidden_act")) INGLE_TRY(expectText(t.config, "hidden_act", kTanh, {kTanh, "gelu"}));
    INGLE_TRY_ASSIGN(DecoderSizes sizes, setDecoderKeys(t, names));
    INGLE_TRY_ASSIGN(const uint32_t headDim, t.config.u32Or("head_dim", usualHeadDim));
    if (headDim == sizes.headDim) return sizes;
    sizes.headDim = sizes.rotatedDims = headDim;
    for (const char* key : {"attention.key_length", "attention.value_length", "rope.dimension_count"})
        t.setCount(key, headDim);
    return sizes;
}

/// Scores are divided by the root of query_pre_attn_scalar. The family knows it by the number of layers.
Status expectScale(const Translation& t, const DecoderSizes& sizes, uint32_t layersOf27B) {
    INGLE_TRY_ASSIGN(const uint32_t scalar, t.config.u32Or("query_pre_attn_scalar", 256));
    const uint32_t known = sizes.numLayers == layersOf27B ? sizes.dim / sizes.numHeads : sizes.headDim;
    if (scalar == known) return {};
    return fail(ErrorCode::Unsupported, "query_pre_attn_scalar {} is not supported for {} layers", scalar,
                sizes.numLayers);
}

/// Which layers have windows, as one flag a layer or as a period.
Status setWindows(Translation& t, const DecoderSizes& sizes, uint32_t usualPeriod) {
    INGLE_TRY_ASSIGN(auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    if (!windowed) {
        INGLE_TRY_ASSIGN(const uint32_t stated, t.config.u32Or("sliding_window_pattern", usualPeriod));
        INGLE_TRY_ASSIGN(const uint32_t period, t.config.u32Or("_sliding_window_pattern", stated));
        if (period == 0) return fail(ErrorCode::Corrupt, "sliding_window_pattern cannot be 0");
        windowed.emplace();
        for (uint32_t layer = 0; layer < sizes.numLayers; ++layer)
            windowed->push_back((layer + 1) % period != 0);
    }
    t.set("attention.sliding_window_pattern", asFlags(*windowed));
    return {};
}

Status setGemma(Translation& t) {
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setSizes(t, 256));
    return setRope(t, sizes);
}

Status setGemma2(Translation& t) {
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setSizes(t, 256));
    INGLE_TRY(expectScale(t, sizes, 46));
    INGLE_TRY(setWindows(t, sizes, 2));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 4096, 0));
    t.setCount("attention.sliding_window", window);
    INGLE_TRY_ASSIGN(const float scores, t.config.f32Or("attn_logit_softcapping", 50, 0));
    INGLE_TRY_ASSIGN(const float logits, t.config.f32Or("final_logit_softcapping", 30, 0));
    t.set("attn_logit_softcapping", double{scores});
    t.set("final_logit_softcapping", double{logits});
    return setRope(t, sizes);
}

Status setGemma3(Translation& t) {
    // The larger models state only what differs from configuration_gemma3.py.
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setSizes(t, 256, {.usualHeads = 8, .usualKvHeads = 4, .usualContext = 131072}));
    INGLE_TRY(expectScale(t, sizes, 62));
    INGLE_TRY(setWindows(t, sizes, 6));
    // The family knows by the window which layers have frequencies of their own.
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 4096));
    t.setCount("attention.sliding_window", window);
    INGLE_TRY_ASSIGN(const float logits, t.config.f32Or("final_logit_softcapping", 0, 0));
    INGLE_TRY_ASSIGN(const float attention, t.config.f32Or("attn_logit_softcapping", 0, 0));
    if (attention != 0)
        return fail(ErrorCode::Unsupported, "attn_logit_softcapping {} is not supported for such models",
                    attention);
    t.set("final_logit_softcapping", double{logits});
    constexpr std::string_view kLocal = "rope_parameters.sliding_attention.rope_theta";
    INGLE_TRY_ASSIGN(const float local, t.config.find(kLocal)
                                            ? t.config.f32(kLocal)
                                            : t.config.f32Or("rope_local_base_freq", 10000));
    t.set("rope.freq_base_swa", double{local});
    const bool isSplit = t.config.find("rope_parameters.full_attention.rope_theta") != nullptr;
    return setRope(t, sizes, 1e6, isSplit ? "rope_parameters.full_attention" : "rope_parameters");
}

/// EmbeddingGemma. Half of the window lies on either side.
Status setEmbedder(Translation& t) {
    INGLE_TRY(expectFlag(t.config, "use_bidirectional_attention", false, true));
    INGLE_TRY(setGemma3(t));
    t.setCount("pooling_type", 1);
    return {};
}

// SigLIP and what makes its rows those of the text model. Source: transformers, modeling_siglip.py.

constexpr TensorRule kVisionRules[] = {
    {"multi_modal_projector.mm_input_projection_weight", "mm.input_projection.weight"},
    {"multi_modal_projector.mm_soft_emb_norm.weight", "mm.soft_emb_norm.weight", addOne},
    // A head that pools rows, which Gemma does without.
    {"vision_tower.head.attention.in_proj_bias", ""},
    {"vision_tower.head.attention.in_proj_weight", ""},
    {"vision_tower.head.attention.out_proj.bias", ""},
    {"vision_tower.head.attention.out_proj.weight", ""},
    {"vision_tower.head.layernorm.bias", ""},
    {"vision_tower.head.layernorm.weight", ""},
    {"vision_tower.head.mlp.fc1.bias", ""},
    {"vision_tower.head.mlp.fc1.weight", ""},
    {"vision_tower.head.mlp.fc2.bias", ""},
    {"vision_tower.head.mlp.fc2.weight", ""},
    {"vision_tower.head.probe", ""},
};

Status setVision(Translation& t) {
    INGLE_TRY(setClipTower(t));
    INGLE_TRY_ASSIGN(const uint32_t side, patchesOnSide(t));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32Or("hidden_size", 2304));
    t.setCount("vision.projection_dim", dim);
    INGLE_TRY_ASSIGN(const uint32_t tokens, t.config.u32Or("mm_tokens_per_image", 256));
    const auto perSide = static_cast<uint32_t>(std::lround(std::sqrt(tokens)));
    if (perSide == 0 || perSide * perSide != tokens || side % perSide != 0)
        return fail(ErrorCode::Unsupported,
                    "mm_tokens_per_image {} is not supported for {} patches on a side", tokens, side);
    t.setCount("vision.projector.scale_factor", side / perSide);
    return {};
}

Status setPixels(Translation& t, const Config& pixels) {
    setOwnResizing(t);
    INGLE_TRY_ASSIGN(const bool isPanned, pixelFlag(pixels, "do_pan_and_scan", false));
    if (isPanned)
        return fail(ErrorCode::Unsupported, "preprocessor_config.json: do_pan_and_scan is not supported");
    INGLE_TRY_ASSIGN(const uint32_t side, t.model.metadata.u32("clip.vision.image_size"));
    return expectForms(pixels, "size", kSquareForms, side);
}

constexpr VisionPart kVision{.projector = "gemma3",
                             .setKeys = setVision,
                             .tensors = kVisionRules,
                             .resample = 2,
                             .tower = kClipTowerRules,
                             .setPixels = setPixels};

constexpr Architecture kArchitectures[] = {
    {.name = "GemmaForCausalLM",
     .family = "gemma",
     .setKeys = setGemma,
     .tensors = kGemmaRules,
     .sharesEmbedding = true},
    {.name = "Gemma2ForCausalLM",
     .family = "gemma2",
     .setKeys = setGemma2,
     .tensors = kSandwichRules,
     .sharesEmbedding = true},
    {.name = "Gemma3ForCausalLM",
     .family = "gemma3",
     .setKeys = setGemma3,
     .tensors = kSandwichRules,
     .sharesEmbedding = true},
    {.name = "Gemma3TextModel",
     .family = "gemma-embedding",
     .setKeys = setEmbedder,
     .tensors = kSandwichRules,
     .sharesEmbedding = true},
    {.name = "Gemma3ForConditionalGeneration",
     .family = "gemma3",
     .setKeys = setGemma3,
     .tensors = kSandwichRules,
     .ignored = kImageParts,
     .sharesEmbedding = true,
     .vision = &kVision},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::gemma_architectures
