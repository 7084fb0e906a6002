/// Command R, R+, R7B and Command A; neighbours are rotated. Sources: transformers, modeling_cohere.py,
/// modeling_cohere2.py, configuration_cohere2.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"

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
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::cohere2_architectures
