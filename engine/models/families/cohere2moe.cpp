/// Command A with experts: Cohere 2, whose experts behind the first layers are averaged with the one that
/// every row goes to. Source: the model's published configuration and code (Cohere, 2026).
#include "engine/models/decoder.h"

namespace ingle::models::cohere2moe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(const float rmsEps, keys.f32Or("attention.layer_norm_rms_epsilon", 0));
    const NormKind norm = rmsEps != 0 ? NormKind::Rms : NormKind::LayerUnbiased;
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = norm,
                                                          .ropeStyle = backend::RopeStyle::Interleaved,
                                                          .hasFfnFactors = true}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 4));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY(readMixture(keys, spec,
                          {.scores = kernels::ExpertScores::Sigmoid, .shared = MixtureTraits::Shared::Both}));
    INGLE_TRY_ASSIGN(spec.logitScale, keys.f32("logit_scale"));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        layer.norms.beforeFfn = {};
        ExpertsSpec* experts = expertsOf(layer);
        if (!windowed[i] && experts) attentionOf(layer).rope.reset();
        if (!experts) continue;
        experts->hasChoiceBias = false;
        if (experts->sharedDim > 0) experts->scale = 0.5F;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("cohere2moe", sizes, metadata);
    synthesizeMixture("cohere2moe", sizes, metadata);
    metadata.set("cohere2moe.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("cohere2moe.attention.sliding_window_pattern", int64_t{2});
    metadata.set("cohere2moe.logit_scale", 0.25);
}

}  // namespace

extern const ModelFamily family{.arch = "cohere2moe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::cohere2moe_family
