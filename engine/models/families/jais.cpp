/// Jais: GPT-2's layer with a gate, biases that grow with the distance in place of positions, and scores
/// divided by the size of a head. Source: Sengupta et al., "Jais and Jais-chat" (2023), section 3.1.
#include "engine/models/decoder.h"

namespace ingle::models::jais_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::Layer}));
    INGLE_TRY_ASSIGN(const float maxBias, keys.f32Or("attention.max_alibi_bias", 8));
    if (!(maxBias > 0)) return keys.cannotBe("attention.max_alibi_bias", maxBias);
    for (LayerSpec& layer : spec.layers) {
        AttentionSpec& attention = attentionOf(layer);
        attention.rope.reset();
        attention.alibiSlopes = alibiSlopes(attention.numHeads, maxBias);
        attention.projections = AttentionSpec::Projections::Fused;
        attention.scale = 1 / static_cast<float>(attention.keyDim);
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("jais", sizes, metadata, NormKind::Layer);
    metadata.set("jais.attention.max_alibi_bias", 8.0);
}

}  // namespace

extern const ModelFamily family{.arch = "jais", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::jais_family
