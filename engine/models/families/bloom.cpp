/// BLOOM: biases that grow with the distance in place of positions, a norm behind the embedding. Source:
/// BigScience, "BLOOM: A 176B-Parameter Open-Access Multilingual Language Model" (2022), section 3.2.
#include "engine/models/decoder.h"

namespace ingle::models::bloom_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::Layer}));
    spec.embeddingNorm = NormKind::Layer;
    for (LayerSpec& layer : spec.layers) {
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = backend::ActivationKind::Gelu;
        AttentionSpec& attention = attentionOf(layer);
        attention.rope.reset();
        attention.alibiSlopes = alibiSlopes(attention.numHeads, 8);
        attention.projections = AttentionSpec::Projections::Fused;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("bloom", sizes, metadata, NormKind::Layer);
}

}  // namespace

extern const ModelFamily family{.arch = "bloom", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::bloom_family
