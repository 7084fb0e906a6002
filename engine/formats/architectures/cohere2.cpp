/// Command R, R+, R7B and Command A, also with experts; neighbours are rotated. Sources: transformers,
/// modeling_cohere.py, modeling_cohere2.py, configuration_cohere2.py, modeling_cohere2_moe.py,
/// configuration_cohere2_moe.py.
#include <algorithm>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::cohere2_architectures {
namespace {

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.epsilon = "layer_norm_eps",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5}));
    INGLE_TRY_ASSIGN(const auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 4096, 0));
    INGLE_TRY_ASSIGN(const float scale, t.config.f32Or("logit_scale", 0.0625F));
    t.setCount("attention.sliding_window", window);
    if (windowed) {
        t.set("attention.sliding_window_pattern", asFlags(*windowed));
    } else {
        INGLE_TRY_ASSIGN(const uint32_t period, t.config.u32Or("sliding_window_pattern", 4));
        t.setCount("attention.sliding_window_pattern", period);
    }
    t.set("logit_scale", double{scale});
    return setRope(t, sizes);
}

constexpr std::string_view kPrefixPattern = "prefix_dense_sliding_window_pattern";

/// Which layers have windows. Those without see everything, and have positions only where they have no
/// experts: so the family has it.
Status setMixtureWindows(Translation& t, const DecoderSizes& sizes) {
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 4096));
    INGLE_TRY_ASSIGN(const uint32_t prefixPeriod, t.config.u32Or(kPrefixPattern, 1));
    INGLE_TRY_ASSIGN(const uint32_t period, t.config.u32Or("sliding_window_pattern", 4));
    INGLE_TRY_ASSIGN(const uint32_t numDense, t.model.metadata.u32("cohere2moe.leading_dense_block_count"));
    INGLE_TRY_ASSIGN(auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    if (period == 0 || prefixPeriod == 0)
        return fail(ErrorCode::Corrupt, "a window cannot be left out every 0 layers");
    if (!windowed) {
        windowed.emplace();
        for (uint32_t i = 0; i < sizes.numLayers; ++i)
            windowed->push_back(i < numDense ? (i + 1) % prefixPeriod != 0
                                             : (i + 1 - numDense) % period != 0);
    }
    const auto firstFull = std::ranges::find(*windowed, false) - windowed->begin();
    if (prefixPeriod != 1 && firstFull < int64_t{numDense})
        return fail(ErrorCode::Unsupported, "{} {} is not supported", kPrefixPattern, prefixPeriod);
    t.setCount("attention.sliding_window", window);
    t.set("attention.sliding_window_pattern", asFlags(*windowed));
    return {};
}

Status setMixture(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    INGLE_TRY(expectText(t.config, "expert_selection_fn", "softmax", {"softmax", "sigmoid"}));
    INGLE_TRY_ASSIGN(const std::string scores, t.config.stringOr("expert_selection_fn", "softmax"));
    const bool isRms = t.config.find("rms_norm_eps") != nullptr;
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.epsilon = isRms ? "rms_norm_eps" : "layer_norm_eps",
                                        .epsilonKey = isRms ? "attention.layer_norm_rms_epsilon"
                                                            : "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5,
                                        .usualContext = 8192}));
    INGLE_TRY(setMixtureKeys(
        t, {.scores = scores == "softmax" ? 1U : 2U, .numExperts = 8, .numUsed = 2, .renormalises = true},
        {.numExperts = "num_experts",
         .dim = "intermediate_size",
         .numShared = "num_shared_experts",
         .scale = ""}));
    // A softmax of those that are chosen adds up to 1.
    if (scores == "softmax") t.set("expert_weights_norm", true);
    INGLE_TRY_ASSIGN(const uint32_t width, t.config.u32("intermediate_size"));
    INGLE_TRY_ASSIGN(const uint32_t dense, t.config.u32Or("prefix_dense_intermediate_size", width, width));
    INGLE_TRY_ASSIGN(const uint32_t numShared, t.config.u32Or("num_shared_experts", 0));
    if (numShared > 0)
        INGLE_TRY(expectText(t.config, "shared_expert_combination_strategy", "average", {"average"}));
    t.setCount("feed_forward_length", dense);
    t.setCount("expert_shared_feed_forward_length", width);
    INGLE_TRY_ASSIGN(const float scale, t.config.f32Or("logit_scale", 0.0625F));
    t.set("logit_scale", double{scale});
    INGLE_TRY(setMixtureWindows(t, sizes));
    return setRope(t, sizes);
}

/// Command R and R+, whose heads are normalised.
Status setCohere(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.epsilon = "layer_norm_eps",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5}));
    INGLE_TRY_ASSIGN(const float scale, t.config.f32Or("logit_scale", 0.0625F));
    t.set("logit_scale", double{scale});
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "CohereForCausalLM", .family = "command-r", .setKeys = setCohere, .sharesEmbedding = true},
    {.name = "Cohere2ForCausalLM", .family = "cohere2", .setKeys = setKeys, .sharesEmbedding = true},
    {.name = "Cohere2MoeForCausalLM", .family = "cohere2moe", .setKeys = setMixture, .sharesEmbedding = true},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::cohere2_architectures
