/// Phi-1, 1.5 and 2: attention and feed-forward read the same LayerNorm, a part of each head is rotated,
/// biases everywhere. Source: Li et al., "Textbooks Are All You Need II: phi-1.5 technical report" (2023),
/// section 2.1.
#include "engine/models/decoder.h"

namespace ingle::models::phi2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::Layer}));
    for (LayerSpec& layer : spec.layers) {
        layer.norms.beforeFfn = {};
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = backend::ActivationKind::Gelu;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("phi2", sizes, metadata, NormKind::Layer);
    metadata.set("phi2.rope.dimension_count", int64_t{sizes.dim / sizes.numHeads / 4 * 2});
}

}  // namespace

extern const ModelFamily family{.arch = "phi2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::phi2_family
