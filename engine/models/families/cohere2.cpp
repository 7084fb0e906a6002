/// Command R7B and Command A: attention and feed-forward read the same norm, which has no bias; three layers
/// with a window and rotary positions to one with neither. Source: Cohere, "Command A: An Enterprise-Ready
/// Large Language Model" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::cohere2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::LayerUnbiased,
                                                          .ropeStyle = backend::RopeStyle::Interleaved,
                                                          .hasFfnFactors = true}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 4));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY_ASSIGN(spec.logitScale, keys.f32("logit_scale"));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        spec.layers[i].norms.beforeFfn = {};
        if (!windowed[i]) attentionOf(spec.layers[i]).rope.reset();
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("cohere2", sizes, metadata, NormKind::LayerUnbiased);
    metadata.set("cohere2.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("cohere2.attention.sliding_window_pattern", int64_t{2});
    metadata.set("cohere2.logit_scale", 0.25);
}

}  // namespace

extern const ModelFamily family{.arch = "cohere2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::cohere2_family
