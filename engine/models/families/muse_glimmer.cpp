/// Muse Glimmer: windows, and rotary positions only in the layers that have them; a gate behind attention,
/// norms behind the embedding and behind both halves. Source: the model's published configuration and code
/// (Meta, 2026).
#include "engine/models/decoder.h"

namespace ingle::models::muse_glimmer_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 4));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base", 10000));
    INGLE_TRY_ASSIGN(const float windowedBase, keys.f32Or("rope.freq_base_swa", base));
    INGLE_TRY_ASSIGN(spec.logitScale, keys.f32("logit_scale"));
    INGLE_TRY_ASSIGN(spec.logitCap, keys.f32Or("final_logit_softcapping", 0));
    if (!(windowedBase > 1)) return keys.cannotBe("rope.freq_base_swa", windowedBase);
    spec.embeddingNorm = NormKind::RmsBare;
    spec.branchEps = 1e-8F;
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        layer.norms.afterMixer = "post_attention_norm";
        layer.norms.afterFfn = "post_ffw_norm";
        AttentionSpec& attention = attentionOf(layer);
        attention.headNorm = HeadNormSpec{};
        attention.outputGate = OutputGateSpec{};
        if (windowed[i])
            attention.rope->frequencies = unscaledRope(
                windowedBase, 2 * static_cast<uint32_t>(attention.rope->frequencies.perPair.size()));
        else
            attention.rope.reset();
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("muse-glimmer", sizes, metadata);
    metadata.set("muse-glimmer.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("muse-glimmer.attention.sliding_window_pattern", int64_t{2});
    metadata.set("muse-glimmer.rope.freq_base_swa", 10000.0);
    metadata.set("muse-glimmer.logit_scale", 0.25);
    metadata.set("muse-glimmer.final_logit_softcapping", 30.0);
}

}  // namespace

extern const ModelFamily family{.arch = "muse-glimmer", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::muse_glimmer_family
