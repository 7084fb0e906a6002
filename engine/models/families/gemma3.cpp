/// Gemma 3: five layers with a window, which have rotary frequencies of their own, to one without; heads of q
/// and k are normalised. Source: Gemma Team, "Gemma 3 Technical Report" (2025), section 2.
#include "engine/models/gemma.h"

namespace ingle::models::gemma3_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 6));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base_swa", 10000));
    if (!(base > 1)) return keys.cannotBe("rope.freq_base_swa", base);
    INGLE_TRY_ASSIGN(spec.logitCap, keys.f32Or("final_logit_softcapping", 0));
    makeGemma(spec, 62);
    for (LayerSpec& layer : spec.layers) {
        AttentionSpec& attention = attentionOf(layer);
        attention.headNorm = HeadNormSpec{};
        attention.mask = backend::Mask::Picture;
        if (attention.window > 0) {
            RopeFrequencies& frequencies = attention.rope->frequencies;
            frequencies = unscaledRope(base, 2 * static_cast<uint32_t>(frequencies.perPair.size()));
        }
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("gemma3", sizes, metadata);
    metadata.set("gemma3.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("gemma3.attention.sliding_window_pattern", int64_t{2});
    metadata.set("gemma3.rope.freq_base", 1e6);
    metadata.set("gemma3.rope.freq_base_swa", 1e4);
    metadata.set("gemma3.final_logit_softcapping", 0.0);
}

}  // namespace

extern const ModelFamily family{.arch = "gemma3", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::gemma3_family
