/// MiMo V2 Flash: windows with sinks, twice as many heads of keys and positions of their own; experts.
/// Source: transformers, modeling_mimo_v2_flash.py, configuration_mimo_v2_flash.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::mimo2_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.self_attn.attention_sink_bias", "blk.#.attn_sinks.weight"},
};

/// What predicts further tokens.
constexpr std::string_view kPredicting[] = {"model.mtp."};

constexpr std::string_view kFull = "rope_parameters.full_attention";
constexpr std::string_view kSliding = "rope_parameters.sliding_attention";

Status setWindows(Translation& t, const DecoderSizes& sizes) {
    constexpr uint32_t kPeriod = 6;
    INGLE_TRY_ASSIGN(auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    if (!windowed) {
        windowed.emplace();
        for (uint32_t i = 0; i < sizes.numLayers; ++i) windowed->push_back(i != 0 && (i + 1) % kPeriod != 0);
    }
    // One key counts the token itself, the other one those before it.
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 129));
    INGLE_TRY_ASSIGN(const uint32_t before, t.config.u32Or("sliding_window_size", 0, 0));
    t.setCount("attention.sliding_window", before > 0 ? before + 1 : window);
    t.set("attention.sliding_window_pattern", asFlags(*windowed));
    std::vector<int64_t> heads;
    for (const bool isWindowed : *windowed) heads.push_back(int64_t{sizes.numKvHeads} * (isWindowed ? 2 : 1));
    t.set("attention.head_count_kv", std::move(heads));
    return {};
}

/// The same part of a head is rotated everywhere, by two bases.
Status setPositions(Translation& t, DecoderSizes sizes) {
    INGLE_TRY_ASSIGN(const float usual, t.config.f32Or("partial_rotary_factor", 0.334F));
    INGLE_TRY_ASSIGN(const float part, t.config.f32Or(fmt::format("{}.partial_rotary_factor", kFull), usual));
    INGLE_TRY_ASSIGN(const float inWindows,
                     t.config.f32Or(fmt::format("{}.partial_rotary_factor", kSliding), usual));
    INGLE_TRY_ASSIGN(const float usualBase, t.config.f32Or("swa_rope_theta", 10000));
    INGLE_TRY_ASSIGN(const float base, t.config.f32Or(fmt::format("{}.rope_theta", kSliding), usualBase));
    INGLE_TRY(expectText(t.config, fmt::format("{}.rope_type", kSliding), "default", {"default"}));
    if (!(part > 0) || part > 1 || inWindows != part)
        return fail(ErrorCode::Unsupported, "partial_rotary_factor {} beside {} is not supported", part,
                    inWindows);
    sizes.rotatedDims = static_cast<uint32_t>(static_cast<float>(sizes.headDim) * part) / 2 * 2;
    t.setCount("rope.dimension_count", sizes.rotatedDims);
    t.set("rope.freq_base_swa", double{base});
    return setRope(t, sizes, 5e6, kFull);
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.usualEpsilon = 1e-5, .usualKvHeads = 4, .usualContext = 131072}));
    INGLE_TRY_ASSIGN(const uint32_t valueDim, t.config.u32Or("v_head_dim", 128));
    INGLE_TRY_ASSIGN(const float valueScale, t.config.f32Or("attention_value_scale", 0.707F, 1));
    INGLE_TRY_ASSIGN(const uint32_t groups, t.config.u32Or("n_group", 1, 1));
    INGLE_TRY_ASSIGN(const float scale, t.config.f32Or("routed_scaling_factor", 1, 1));
    INGLE_TRY(expectFlag(t.config, "norm_topk_prob", true, true));
    if (groups != 1) return fail(ErrorCode::Unsupported, "n_group {} is not supported", groups);
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32Or("n_routed_experts", 256));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32Or("num_experts_per_tok", 8));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32Or("moe_intermediate_size", 2048));
    t.setCount("attention.value_length", valueDim);
    t.set("attention.value_scale", double{valueScale});
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    t.setCount("expert_feed_forward_length", dim);
    t.set("expert_weights_scale", double{scale});
    INGLE_TRY(setWindows(t, sizes));
    return setPositions(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "MiMoV2FlashForCausalLM",
     .family = "mimo2",
     .setKeys = setKeys,
     .tensors = kRules,
     .ignored = kPredicting},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::mimo2_architectures
