/// MiniCPM 3: latent attention whose rotary pairs are halves, MiniCPM's scales. Source: the model's
/// published configuration and code (OpenBMB, 2024).
#include <cmath>

#include "engine/models/decoder.h"

namespace ingle::models::minicpm3_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(LatentAttentionSpec attention, readLatentAttention(keys, spec, LatentQueries::Stated));
    attention.rope->style = backend::RopeStyle::HalfSplit;
    INGLE_TRY(readLongRope(keys, spec));
    const auto& rotated = *attentionOf(spec.layers[0]).rope;
    if (2 * rotated.frequencies.perPair.size() != attention.rotatedDim)
        return keys.cannotBe("rope.dimension_count", attention.rotatedDim);
    attention.rope->frequencies = rotated.frequencies;
    // Constants of the model, which no key tells.
    spec.embeddingScale = 12;
    spec.logitScale = 256 / static_cast<float>(spec.facts.dim);
    for (LayerSpec& layer : spec.layers) {
        layer.mixer = attention;
        layer.residualScale = 1.4F / std::sqrt(static_cast<float>(spec.facts.numLayers));
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("minicpm3", sizes, metadata);
    synthesizeLatentAttention("minicpm3", metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "minicpm3", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::minicpm3_family
