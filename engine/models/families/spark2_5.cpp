/// Spark 2.5: windows, and a gate of one number for each head behind attention. Source: the model's
/// published configuration and code (iFlytek, 2026).
#include "engine/models/decoder.h"

namespace ingle::models::spark2_5_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 4));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base", 10000));
    INGLE_TRY_ASSIGN(const float windowedBase, keys.f32Or("rope.freq_base_swa", base));
    if (!(windowedBase > 1)) return keys.cannotBe("rope.freq_base_swa", windowedBase);
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        AttentionSpec& attention = attentionOf(spec.layers[i]);
        attention.outputGate = OutputGateSpec{.isOfHeads = true};
        std::get<FeedForwardSpec>(spec.layers[i].ffn).activation = backend::ActivationKind::Gelu;
        if (windowed[i])
            attention.rope->frequencies = unscaledRope(
                windowedBase, 2 * static_cast<uint32_t>(attention.rope->frequencies.perPair.size()));
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("spark2_5", sizes, metadata);
    metadata.set("spark2_5.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("spark2_5.attention.sliding_window_pattern", int64_t{2});
    metadata.set("spark2_5.rope.freq_base_swa", 10000.0);
}

}  // namespace

extern const ModelFamily family{.arch = "spark2_5", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::spark2_5_family
