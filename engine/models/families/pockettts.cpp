/// The language model of Pocket TTS: LayerNorm, rotary positions, a feed-forward without gate. Source: the
/// model's published configuration and code (Kyutai, 2026).
#include "engine/models/decoder.h"

namespace ingle::models::pockettts_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::Layer,
                                                          .ropeStyle = backend::RopeStyle::Interleaved}));
    for (LayerSpec& layer : spec.layers) {
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = backend::ActivationKind::Gelu;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("pockettts", sizes, metadata, NormKind::Layer);
}

}  // namespace

extern const ModelFamily family{.arch = "pockettts", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::pockettts_family
