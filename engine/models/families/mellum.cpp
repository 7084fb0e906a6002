/// Mellum 2: Qwen3's mixture with windows, in which positions are not scaled. Source: the model's published
/// configuration and code (JetBrains, 2026).
#include "engine/models/decoder.h"

namespace ingle::models::mellum_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.hasFfnFactors = true}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 4));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY_ASSIGN(const float usual, keys.f32Or("rope.freq_base", 10000));
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base_swa", usual));
    if (!(base > 1)) return keys.cannotBe("rope.freq_base_swa", base);
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    for (LayerSpec& layer : spec.layers) {
        AttentionSpec& attention = attentionOf(layer);
        attention.headNorm = HeadNormSpec{};
        RopeFrequencies& frequencies = attention.rope->frequencies;
        if (attention.window > 0)
            frequencies = unscaledRope(base, 2 * static_cast<uint32_t>(frequencies.perPair.size()));
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("mellum", sizes, metadata);
    synthesizeExperts("mellum", sizes, metadata, 4);
    metadata.set("mellum.expert_feed_forward_length", int64_t{sizes.ffnDim});
    metadata.set("mellum.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("mellum.attention.sliding_window_pattern", int64_t{2});
    metadata.set("mellum.rope.freq_base_swa", 10000.0);
}

}  // namespace

extern const ModelFamily family{.arch = "mellum", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::mellum_family
