/// Gemma: GELU in the gate, and embeddings scaled by the root of their width. (Norms in files hold the + 1 of
/// the paper.) Source: Gemma Team, "Gemma: Open Models Based on Gemini Research and Technology" (2024),
/// section 2.
#include <cmath>

#include "engine/models/decoder.h"

namespace ingle::models::gemma_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    spec.embeddingScale = std::sqrt(static_cast<float>(spec.facts.dim));
    for (LayerSpec& layer : spec.layers)
        std::get<FeedForwardSpec>(layer.ffn).activation = backend::ActivationKind::Gelu;
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("gemma", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "gemma", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::gemma_family
