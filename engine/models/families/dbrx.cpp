/// DBRX: norms without bias, clamped queries, keys and values, experts. Source: the model as published with
/// transformers, src/transformers/models/dbrx/modeling_dbrx.py (2024).
#include "engine/models/decoder.h"

namespace ingle::models::dbrx_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::LayerUnbiased}));
    INGLE_TRY_ASSIGN(const float clamp, keys.f32("attention.clamp_kqv"));
    if (!(clamp >= 0)) return keys.cannotBe("attention.clamp_kqv", clamp);
    INGLE_TRY(readExperts(keys, spec));
    for (LayerSpec& layer : spec.layers) {
        layer.norms.beforeFfn = "attn_output_norm";
        attentionOf(layer).projections = AttentionSpec::Projections::Fused;
        attentionOf(layer).clamp = clamp;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("dbrx", sizes, metadata, NormKind::LayerUnbiased);
    synthesizeExperts("dbrx", sizes, metadata, 4);
    metadata.set("dbrx.attention.clamp_kqv", 0.8);
}

}  // namespace

extern const ModelFamily family{.arch = "dbrx", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::dbrx_family
