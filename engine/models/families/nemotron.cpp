/// Nemotron 3 and 4, Minitron: LayerNorm, rotary positions on a part of each head, and a squared ReLU
/// without gate. Source: Parmar et al., "Nemotron-4 15B Technical Report" (2024), section 2.1.
#include "engine/models/decoder.h"

namespace ingle::models::nemotron_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::Layer}));
    for (LayerSpec& layer : spec.layers) {
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = backend::ActivationKind::SquaredRelu;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("nemotron", sizes, metadata, NormKind::Layer);
    metadata.set("nemotron.rope.dimension_count", int64_t{sizes.dim / sizes.numHeads / 4 * 2});
}

}  // namespace

extern const ModelFamily family{.arch = "nemotron", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::nemotron_family
