/// Gemma 4. Its norms multiply by their weight. Source: transformers, modeling_gemma4.py,
/// configuration_gemma4.py; modeling_rope_utils.py ("proportional").
#include <algorithm>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"

namespace ingle::formats::gemma4_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.embed_tokens_per_layer.weight", "per_layer_token_embd.weight"},
    {"model.per_layer_model_projection.weight", "per_layer_model_proj.weight"},
    {"model.per_layer_projection_norm.weight", "per_layer_proj_norm.weight"},
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.post_attention_norm.weight"},
    {"model.layers.#.pre_feedforward_layernorm.weight", "blk.#.ffn_norm.weight"},
    {"model.layers.#.post_feedforward_layernorm.weight", "blk.#.post_ffw_norm.weight"},
    {"model.layers.#.layer_scalar", "blk.#.layer_output_scale.weight"},
    {"model.layers.#.per_layer_input_gate.weight", "blk.#.inp_gate.weight"},
    {"model.layers.#.per_layer_projection.weight", "blk.#.proj.weight"},
    {"model.layers.#.post_per_layer_input_norm.weight", "blk.#.post_norm.weight"},
    {"model.layers.#.post_feedforward_layernorm_1.weight", "blk.#.post_ffw_norm_1.weight"},
    {"model.layers.#.pre_feedforward_layernorm_2.weight", "blk.#.pre_ffw_norm_2.weight"},
    {"model.layers.#.post_feedforward_layernorm_2.weight", "blk.#.post_ffw_norm_2.weight"},
    {"model.layers.#.router.proj.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.router.scale", "blk.#.ffn_gate_inp.scale"},
    {"model.layers.#.router.per_expert_scale", "blk.#.ffn_down_exps.scale"},
    {"model.layers.#.experts.gate_up_proj", "blk.#.ffn_*_exps.weight", splitGateUp},
    {"model.layers.#.experts.down_proj", "blk.#.ffn_down_exps.weight"},
};

/// Of images and sounds.
constexpr std::string_view kOtherParts[] = {"model.vision_tower.", "model.audio_tower.",
                                            "model.embed_vision.", "model.embed_audio."};

Result<std::vector<bool>> windowedLayers(const Translation& t, uint32_t numLayers) {
    constexpr uint32_t kUsualPeriod = 6;
    INGLE_TRY_ASSIGN(auto windowed, layersOfKind(t.config, "sliding_attention", numLayers));
    if (windowed) return *std::move(windowed);
    std::vector<bool> usual;
    for (uint32_t layer = 0; layer < numLayers; ++layer)
        usual.push_back((layer + 1) % kUsualPeriod != 0 && layer + 1 != numLayers);
    return usual;
}

/// Positions, by the kind of layer. In full layers a part of each head's pairs is rotated, and the others are
/// not: those of the slowest frequencies, in each half of the head.
Status setPositions(Translation& t, uint32_t headDim, uint32_t fullHeadDim) {
    constexpr std::string_view kFull = "rope_parameters.full_attention.",
                               kWindowed = "rope_parameters.sliding_attention.";
    const auto key = [](std::string_view kind, std::string_view name) { return std::string(kind) += name; };
    const auto number = [&](std::string_view kind, std::string_view name, float usual) {
        return t.config.f32Or(key(kind, name), usual);
    };
    INGLE_TRY(expectText(t.config, key(kWindowed, "rope_type"), "default", {"default"}));
    INGLE_TRY(expectText(t.config, key(kFull, "rope_type"), "proportional", {"proportional"}));
    INGLE_TRY_ASSIGN(const float base, number(kFull, "rope_theta", 1e6F));
    INGLE_TRY_ASSIGN(const float windowedBase, number(kWindowed, "rope_theta", 1e4F));
    INGLE_TRY_ASSIGN(const float part, number(kFull, "partial_rotary_factor", 0.25F));
    INGLE_TRY_ASSIGN(const float factor, number(kFull, "factor", 1));
    if (!(part > 0) || part > 1 || !(factor > 0))
        return fail(ErrorCode::Corrupt, "{} cannot be {} with the factor {}",
                    key(kFull, "partial_rotary_factor"), part, factor);
    t.set("rope.freq_base", double{base});
    t.set("rope.freq_base_swa", double{windowedBase});
    t.setCount("rope.dimension_count", fullHeadDim);
    t.setCount("rope.dimension_count_swa", headDim);
    constexpr float kNever = 1e30F;
    std::vector<float> divisors(fullHeadDim / 2, kNever);
    const auto rotated = static_cast<size_t>(part * static_cast<float>(fullHeadDim) / 2);
    std::fill_n(divisors.begin(), rotated, factor);
    return t.make("rope_freqs.weight", tensor::Shape::of(divisors.size()), divisors);
}

/// What is one number for all layers, or one for each kind of them.
Status setLayers(Translation& t, const DecoderSizes& sizes) {
    INGLE_TRY_ASSIGN(const auto windowed, windowedLayers(t, sizes.numLayers));
    INGLE_TRY_ASSIGN(const bool valuesAreKeys, t.config.boolOr("attention_k_eq_v", false));
    INGLE_TRY_ASSIGN(const uint32_t stated,
                     t.config.u32Or("num_global_key_value_heads", sizes.numKvHeads, sizes.numKvHeads));
    INGLE_TRY_ASSIGN(const uint32_t numShared, t.config.u32Or("num_kv_shared_layers", 0));
    INGLE_TRY_ASSIGN(const bool isWide, t.config.boolOr("use_double_wide_mlp", false));
    INGLE_TRY_ASSIGN(const uint32_t ffnDim, t.config.u32("intermediate_size"));
    const uint32_t fullKvHeads = valuesAreKeys ? stated : sizes.numKvHeads;
    std::vector<int64_t> kvHeads, ffnDims;
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer) {
        kvHeads.push_back(windowed[layer] ? sizes.numKvHeads : fullKvHeads);
        const bool isShared = layer + numShared >= sizes.numLayers && numShared < sizes.numLayers;
        ffnDims.push_back(int64_t{ffnDim} * (isWide && isShared ? 2 : 1));
    }
    t.set("attention.head_count_kv", std::move(kvHeads));
    t.set("feed_forward_length", std::move(ffnDims));
    t.set("attention.sliding_window_pattern", asFlags(windowed));
    t.setCount("attention.shared_kv_layers", numShared);
    return {};
}

Status setExperts(Translation& t) {
    INGLE_TRY_ASSIGN(const bool hasExperts, t.config.boolOr("enable_moe_block", false));
    if (!hasExperts) return {};
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32("num_experts"));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32("top_k_experts"));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("moe_intermediate_size"));
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    t.setCount("expert_feed_forward_length", dim);
    return {};
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_activation", "gelu_pytorch_tanh", {"gelu_pytorch_tanh"}));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    if (!t.config.isNull("use_bidirectional_attention"))
        INGLE_TRY(expectText(t.config, "use_bidirectional_attention", "vision", {"vision"}));
    INGLE_TRY_ASSIGN(
        const DecoderSizes sizes,
        setDecoderKeys(
            t, {.ffnDim = "", .headDim = "", .usualHeads = 8, .usualKvHeads = 4, .usualContext = 131072}));
    INGLE_TRY_ASSIGN(const uint32_t headDim, t.config.u32Or("head_dim", 256));
    INGLE_TRY_ASSIGN(const uint32_t fullHeadDim, t.config.u32Or("global_head_dim", 512));
    constexpr uint32_t kMaxHeadDim = 1 << 16;
    if (headDim > kMaxHeadDim || fullHeadDim > kMaxHeadDim || fullHeadDim < 2)
        return fail(ErrorCode::Corrupt, "heads cannot have {} and {} numbers", headDim, fullHeadDim);
    for (const std::string_view key : {"attention.key_length", "attention.value_length"}) {
        t.setCount(key, fullHeadDim);
        t.setCount(fmt::format("{}_swa", key), headDim);
    }
    INGLE_TRY(setLayers(t, sizes));
    INGLE_TRY(setExperts(t));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 512, 0));
    INGLE_TRY_ASSIGN(const uint32_t ownDim, t.config.u32Or("hidden_size_per_layer_input", 256, 0));
    INGLE_TRY_ASSIGN(const float cap, t.config.f32Or("final_logit_softcapping", 0, 0));
    t.setCount("attention.sliding_window", window);
    t.setCount("embedding_length_per_layer_input", ownDim);
    t.set("final_logit_softcapping", double{cap});
    return setPositions(t, headDim, fullHeadDim);
}

constexpr Architecture kArchitectures[] = {
    {.name = "Gemma4ForCausalLM",
     .family = "gemma4",
     .setKeys = setKeys,
     .tensors = kRules,
     .sharesEmbedding = true},
    {.name = "Gemma4ForConditionalGeneration",
     .family = "gemma4",
     .setKeys = setKeys,
     .tensors = kRules,
     .ignored = kOtherParts,
     .sharesEmbedding = true},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::gemma4_architectures
