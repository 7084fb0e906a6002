/// SmallThinker: experts with a ReLU in the gate, which a router chooses by what the layer reads; windows,
/// and layers without positions. Source: Song et al., "SmallThinker: A Family of Efficient Large Language
/// Models Natively Trained for Local Deployment" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::smallthinker_family {
namespace {

constexpr uint32_t kUnrotated = 4;  ///< every so many layers, from the first on

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const uint32_t window, keys.u32Or("attention.sliding_window", 0));
    INGLE_TRY(readMixture(keys, spec, {.hasDenseLayers = false}));
    std::vector<bool> windowed(spec.facts.numLayers, false);
    if (window > 0) {
        if (keys.isArray("attention.sliding_window_pattern")) {
            INGLE_TRY_ASSIGN(windowed, readWindowed(keys, spec.facts.numLayers, 0));
        } else {  // a period whose first layer has none
            INGLE_TRY_ASSIGN(const uint32_t period, keys.u32Or("attention.sliding_window_pattern", 4));
            for (uint32_t i = 0; i < spec.facts.numLayers; ++i) windowed[i] = period == 0 || i % period != 0;
        }
        INGLE_TRY(readWindows(keys, spec, windowed));
    }
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        if (window > 0 && i % kUnrotated == 0) attentionOf(spec.layers[i]).rope.reset();
        ExpertsSpec* experts = expertsOf(spec.layers[i]);
        if (!experts) return keys.cannotBe("expert_count", 0);
        experts->activation = backend::ActivationKind::Relu;
        experts->routesLayersInput = true;
        experts->rule.renormalise = true;
        experts->hasChoiceBias = false;
        experts->sharedDim = 0;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("smallthinker", sizes, metadata);
    synthesizeMixture("smallthinker", sizes, metadata);
    metadata.set("smallthinker.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("smallthinker.attention.sliding_window_pattern", int64_t{2});
}

}  // namespace

extern const ModelFamily family{.arch = "smallthinker", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::smallthinker_family
