/// Trinity: windows, and every fourth layer without positions; a gate behind attention, norms behind both
/// halves; experts behind the first layers with more that every row goes to. Source: Arcee AI, the model as
/// published with transformers, src/transformers/models/afmoe/modeling_afmoe.py (2025).
#include <cmath>

#include "engine/models/decoder.h"

namespace ingle::models::afmoe_family {
namespace {

constexpr uint32_t kUnrotated = 4;  ///< every so many layers

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 4));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY(readMixture(keys, spec, {.scores = kernels::ExpertScores::Sigmoid}));
    spec.embeddingScale = std::sqrt(static_cast<float>(spec.facts.dim));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        layer.norms.afterMixer = "post_attention_norm";
        layer.norms.afterFfn = "post_ffw_norm";
        AttentionSpec& attention = attentionOf(layer);
        attention.headNorm = HeadNormSpec{};
        attention.outputGate = OutputGateSpec{};
        if ((i + 1) % kUnrotated == 0) attention.rope.reset();
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("afmoe", sizes, metadata);
    synthesizeMixture("afmoe", sizes, metadata);
    metadata.set("afmoe.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("afmoe.attention.sliding_window_pattern", int64_t{2});
}

}  // namespace

extern const ModelFamily family{.arch = "afmoe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::afmoe_family
