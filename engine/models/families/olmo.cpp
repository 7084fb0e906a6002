/// OLMo 1: norms without gain and bias; queries, keys and values may be clamped. Source: Groeneveld et al.,
/// "OLMo: Accelerating the Science of Language Models" (2024), section 2.1.
#include "engine/models/decoder.h"

namespace ingle::models::olmo_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::LayerBare,
                                                          .ropeStyle = backend::RopeStyle::Interleaved}));
    INGLE_TRY_ASSIGN(const float clamp, keys.f32Or("attention.clamp_kqv", 0));
    if (!(clamp >= 0)) return keys.cannotBe("attention.clamp_kqv", clamp);
    for (LayerSpec& layer : spec.layers) attentionOf(layer).clamp = clamp;
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("olmo", sizes, metadata, NormKind::LayerBare);
    metadata.set("olmo.attention.clamp_kqv", 0.8);
}

}  // namespace

extern const ModelFamily family{.arch = "olmo", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::olmo_family
