/// Jais 2: LayerNorm, biases, and a squared ReLU without gate. Source: the model's published configuration
/// and code (Inception, 2025).
#include "engine/models/decoder.h"

namespace ingle::models::jais2_family {
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
    synthesizeDecoder("jais2", sizes, metadata, NormKind::Layer);
}

}  // namespace

extern const ModelFamily family{.arch = "jais2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::jais2_family
