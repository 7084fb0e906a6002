/// EXAONE 4.0 and K-EXAONE. Sources: transformers, modeling_exaone4.py, configuration_exaone4.py,
/// modeling_exaone_moe.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::exaone4_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.post_attention_norm.weight"},
    {"model.layers.#.post_feedforward_layernorm.weight", "blk.#.post_ffw_norm.weight"},
};

constexpr TensorRule kMixtureRules[] = {
    {"model.layers.#.mlp.e_score_correction_bias", "blk.#.exp_probs_b.bias"},
};

/// What predicts further tokens.
constexpr std::string_view kPredicting[] = {"mtp."};

/// The family knows the model with windows by its number of layers.
Status setWindows(Translation& t, const DecoderSizes& sizes) {
    constexpr uint32_t kLayersOf32B = 64;
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 0, 0));
    if ((window > 0) != (sizes.numLayers == kLayersOf32B))
        return fail(ErrorCode::Unsupported, "sliding_window {} is not supported for {} layers", window,
                    sizes.numLayers);
    INGLE_TRY_ASSIGN(const auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    if (window == 0) return {};
    t.setCount("attention.sliding_window", window);
    if (windowed) t.set("attention.sliding_window_pattern", asFlags(*windowed));
    return {};
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.usualEpsilon = 1e-5}));
    INGLE_TRY(setWindows(t, sizes));
    return setRope(t, sizes);
}

/// Layers without a window have no positions, unless none has one.
Status setMixture(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.usualEpsilon = 1e-5, .usualContext = 2048}));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 4096));
    t.setCount("attention.sliding_window", window);
    INGLE_TRY_ASSIGN(const auto windowed, layersOfKind(t.config, "sliding_attention", sizes.numLayers));
    if (windowed) {
        t.set("attention.sliding_window_pattern", asFlags(*windowed));
    } else {
        INGLE_TRY_ASSIGN(const uint32_t period, t.config.u32Or("sliding_window_pattern", 4));
        t.setCount("attention.sliding_window_pattern", period);
    }
    INGLE_TRY(setMixtureKeys(t,
                             {.scores = 2,
                              .numExperts = 64,
                              .numUsed = 8,
                              .numShared = 1,
                              .dim = 1024,
                              .numDense = 1,
                              .renormalises = true,
                              .scale = 2.5},
                             {.numExperts = "num_experts", .numShared = "num_shared_experts"}));
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "Exaone4ForCausalLM", .family = "exaone4", .setKeys = setKeys, .tensors = kRules},
    {.name = "ExaoneMoeForCausalLM",
     .family = "exaone-moe",
     .setKeys = setMixture,
     .tensors = kMixtureRules,
     .ignored = kPredicting},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::exaone4_architectures
