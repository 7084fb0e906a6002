/// OLMo 2 and 3: norms stand behind attention and feed-forward only, q and k are normalised as whole rows;
/// OLMo 3 has windows, and no scaling of positions in them. Source: Ai2, "2 OLMo 2 Furious" (2025), section
/// 2.
#include "engine/models/decoder.h"

namespace ingle::models::olmo2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 4));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base", 10000));
    for (LayerSpec& layer : spec.layers) {
        layer.norms = {.beforeMixer = {},
                       .afterMixer = "post_attention_norm",
                       .beforeFfn = {},
                       .afterFfn = "post_ffw_norm"};
        AttentionSpec& attention = attentionOf(layer);
        attention.headNorm = HeadNormSpec{.gain = HeadNormSpec::Gain::OfRow};
        RopeFrequencies& frequencies = attention.rope->frequencies;
        if (attention.window > 0)
            frequencies = unscaledRope(base, 2 * static_cast<uint32_t>(frequencies.perPair.size()));
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("olmo2", sizes, metadata);
    metadata.set("olmo2.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("olmo2.attention.sliding_window_pattern", int64_t{2});
}

}  // namespace

extern const ModelFamily family{.arch = "olmo2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::olmo2_family
