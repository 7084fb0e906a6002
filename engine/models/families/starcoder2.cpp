/// StarCoder2: LayerNorm and biases everywhere, and a feed-forward without gate.
/// Source: Lozhkov et al., "StarCoder 2 and The Stack v2: The Next Generation" (2024), section 5.
#include "engine/models/decoder.h"

namespace ingle::models::starcoder2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::Layer}));
    for (LayerSpec& layer : spec.layers) {
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = backend::ActivationKind::Gelu;
        ffn.bias = Presence::Required;
        attentionOf(layer).qkvBias = Presence::Required;
        attentionOf(layer).outputBias = Presence::Required;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("starcoder2", sizes, metadata, NormKind::Layer);
}

}  // namespace

extern const ModelFamily family{.arch = "starcoder2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::starcoder2_family
