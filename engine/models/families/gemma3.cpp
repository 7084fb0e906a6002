/// Gemma 3: five layers with a window, which have rotary frequencies of their own, to one without; heads of q
/// and k are normalised. Source: Gemma Team, "Gemma 3 Technical Report" (2025), section 2.
#include <cmath>

#include "engine/models/decoder.h"

namespace ingle::models {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    // The 27B model divides by the width per head of the whole row, which is not that of a head.
    constexpr uint32_t kLayersOf27B = 62;
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 6));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base_swa", 10000));
    if (!(base > 1)) return keys.cannotBe("rope.freq_base_swa", base);
    INGLE_TRY_ASSIGN(spec.logitCap, keys.f32Or("final_logit_softcapping", 0));
    spec.embeddingScale = std::sqrt(static_cast<float>(spec.facts.dim));
    for (LayerSpec& layer : spec.layers) {
        layer.norms.afterMixer = "post_attention_norm";
        layer.norms.afterFfn = "post_ffw_norm";
        std::get<FeedForwardSpec>(layer.ffn).activation = backend::ActivationKind::Gelu;
        AttentionSpec& attention = attentionOf(layer);
        attention.headNorm = HeadNormSpec{};
        if (attention.window > 0) {
            RopeFrequencies& frequencies = attention.rope->frequencies;
            frequencies = unscaledRope(base, 2 * static_cast<uint32_t>(frequencies.perPair.size()));
        }
        if (spec.facts.numLayers == kLayersOf27B)
            attention.scale =
                1.0f / std::sqrt(static_cast<float>(spec.facts.dim) / static_cast<float>(attention.numHeads));
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

extern const ModelFamily gemma3_family;
const ModelFamily gemma3_family{.arch = "gemma3", .open = openDecoder<read>, .synthesize = synthesize};

}  // namespace ingle::models
