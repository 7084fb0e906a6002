/// Laguna and Mellum 2: windows, with positions of their own. Sources: transformers, modeling_laguna.py,
/// configuration_laguna.py, modeling_mellum.py, configuration_mellum.py.
#include <algorithm>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::laguna_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.self_attn.g_proj.weight", "blk.#.attn_gate.weight"},
    {"model.layers.#.mlp.experts.e_score_correction_bias", "blk.#.exp_probs_b.bias"},
};

/// What predicts further tokens.
constexpr std::string_view kPredicting[] = {"mtp."};

constexpr std::string_view kFull = "rope_parameters.full_attention";

/// Windows, and the base of the positions in them.
Status setWindows(Translation& t, const DecoderSizes& sizes, uint32_t usualWindow) {
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", usualWindow, 0));
    INGLE_TRY_ASSIGN(const auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    const std::vector<bool> none(sizes.numLayers, false);
    t.setCount("attention.sliding_window", window);
    t.set("attention.sliding_window_pattern", asFlags(windowed ? *windowed : none));
    INGLE_TRY(expectText(t.config, "rope_parameters.sliding_attention.rope_type", "default", {"default"}));
    INGLE_TRY_ASSIGN(const float base, t.config.f32Or("rope_parameters.sliding_attention.rope_theta", 10000));
    t.set("rope.freq_base_swa", double{base});
    return setRope(t, sizes, 500000, kFull);
}

/// Heads that differ from layer to layer.
Status setHeads(Translation& t, const DecoderSizes& sizes) {
    const MetaValue* value = t.config.find("num_attention_heads_per_layer");
    const auto* heads = value ? std::get_if<std::vector<int64_t>>(value) : nullptr;
    if (!heads) return {};
    if (heads->size() != sizes.numLayers)
        return fail(ErrorCode::Corrupt, "num_attention_heads_per_layer holds {} numbers for {} layers",
                    heads->size(), sizes.numLayers);
    const bool areEqual = std::ranges::all_of(*heads, [&](int64_t count) { return count == sizes.numHeads; });
    if (!areEqual) t.set("attention.head_count", *heads);
    return {};
}

/// The part of a head that is rotated where everything is seen, and in windows.
Result<DecoderSizes> setRotated(Translation& t, DecoderSizes sizes) {
    const auto rotated = [&](std::string_view kind, float usual) -> Result<uint32_t> {
        const std::string key = fmt::format("rope_parameters.{}.partial_rotary_factor", kind);
        INGLE_TRY_ASSIGN(const float part, t.config.f32Or(key, usual, 1));
        if (!(part > 0) || part > 1) return fail(ErrorCode::Corrupt, "{} cannot be {}", key, part);
        return static_cast<uint32_t>(static_cast<float>(sizes.headDim) * part);
    };
    const bool isStated = t.config.find("rope_parameters.full_attention.rope_theta") != nullptr;
    INGLE_TRY_ASSIGN(sizes.rotatedDims, rotated("full_attention", isStated ? 1.0F : 0.5F));
    INGLE_TRY_ASSIGN(const uint32_t inWindows, rotated("sliding_attention", 1));
    t.setCount("rope.dimension_count", sizes.rotatedDims);
    t.setCount("rope.dimension_count_swa", inWindows);
    t.setCount("attention.key_length_swa", sizes.headDim);
    t.setCount("attention.value_length_swa", sizes.headDim);
    return sizes;
}

Status setLaguna(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "moe_apply_router_weight_on_input", false, false));
    INGLE_TRY_ASSIGN(DecoderSizes sizes, setDecoderKeys(t, {.usualContext = 131072}));
    INGLE_TRY_ASSIGN(sizes, setRotated(t, sizes));
    INGLE_TRY(setHeads(t, sizes));
    INGLE_TRY_ASSIGN(const uint32_t shared, t.config.u32Or("shared_expert_intermediate_size", 512));
    INGLE_TRY(setMixtureKeys(t,
                             {.scores = 2,
                              .numExperts = 256,
                              .numUsed = 8,
                              .numShared = 1,
                              .dim = 512,
                              .numDense = 1,
                              .renormalises = true},
                             {.numExperts = "num_experts",
                              .numShared = "",
                              .numDense = "",
                              .renormalises = "",
                              .scale = "moe_routed_scaling_factor"}));
    t.setCount("expert_shared_feed_forward_length", shared);
    return setWindows(t, sizes, 512);
}

Status setMellum(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "norm_topk_prob", true, true));
    INGLE_TRY_ASSIGN(const auto numDense, numDenseLayers(t.config));
    if (numDense && *numDense > 0)
        return fail(ErrorCode::Unsupported, "mlp_layer_types: {} layers without experts are not supported",
                    *numDense);
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.usualContext = 131072}));
    const bool isEarly = t.config.find("num_experts") != nullptr;
    INGLE_TRY_ASSIGN(const uint32_t numExperts,
                     t.config.u32Or(isEarly ? "num_experts" : "num_local_experts", 64));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32Or("num_experts_per_tok", 8));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32Or("moe_intermediate_size", 896));
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    t.setCount("expert_feed_forward_length", dim);
    return setWindows(t, sizes, 1024);
}

constexpr Architecture kArchitectures[] = {
    {.name = "LagunaForCausalLM", .family = "laguna", .setKeys = setLaguna, .tensors = kRules},
    {.name = "MellumForCausalLM", .family = "mellum", .setKeys = setMellum, .ignored = kPredicting},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::laguna_architectures
