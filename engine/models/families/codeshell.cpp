/// CodeShell: LayerNorm, biases, rotary positions, a feed-forward without gate. Source: Xie et al.,
/// "CodeShell Technical Report" (2024), section 3.
#include "engine/models/decoder.h"

namespace ingle::models::codeshell_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::Layer}));
    for (LayerSpec& layer : spec.layers) {
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = backend::ActivationKind::Gelu;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("codeshell", sizes, metadata, NormKind::Layer);
}

}  // namespace

extern const ModelFamily family{.arch = "codeshell", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::codeshell_family
