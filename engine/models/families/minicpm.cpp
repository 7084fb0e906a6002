/// MiniCPM 1 and 2: Llama's layer with Granite's scales. Source: Hu et al., "MiniCPM: Unveiling the
/// Potential of Small Language Models with Scalable Training Strategies" (2024), appendix A.
#include <cmath>

#include "engine/models/granite.h"

namespace ingle::models::minicpm_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    const auto dim = static_cast<float>(spec.facts.dim);
    const auto numLayers = static_cast<float>(spec.facts.numLayers);
    INGLE_TRY(readGraniteScales(
        keys, spec, {.embedding = 12, .residual = 1.4F / std::sqrt(numLayers), .logits = dim / 256}));
    INGLE_TRY(readExperts(keys, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeGranite("minicpm", sizes, metadata);
    synthesizeExperts("minicpm", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "minicpm", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::minicpm_family
