/// EXAONE 4.0: norms stand behind attention and feed-forward only, heads of q and k are normalised; the 32B
/// model, known by its 64 layers, has windows, and no positions in the layers without. Source: LG AI
/// Research, "EXAONE 4.0: Unified Large Language Models Integrating Non-reasoning and Reasoning Modes"
/// (2025), section 2.1.
#include "engine/models/decoder.h"

namespace ingle::models::exaone4_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    constexpr uint32_t kLayersOf32B = 64;
    const bool hasWindows = spec.facts.numLayers == kLayersOf32B;
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 4));
    if (hasWindows) INGLE_TRY(readWindows(keys, spec, windowed));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        layer.norms = {.beforeMixer = {},
                       .afterMixer = "post_attention_norm",
                       .beforeFfn = {},
                       .afterFfn = "post_ffw_norm"};
        attentionOf(layer).headNorm = HeadNormSpec{};
        if (hasWindows && !windowed[i]) attentionOf(layer).rope.reset();
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("exaone4", sizes, metadata);
    metadata.set("exaone4.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("exaone4.attention.sliding_window_pattern", int64_t{4});
}

}  // namespace

extern const ModelFamily family{.arch = "exaone4", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::exaone4_family
