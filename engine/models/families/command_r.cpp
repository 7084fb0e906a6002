/// Command R and R+: attention and feed-forward read the same norm, which has no bias; R+ normalises the
/// heads of q and k. Source: the model as published with transformers,
/// src/transformers/models/cohere/modeling_cohere.py (2024).
#include "engine/models/decoder.h"

namespace ingle::models::command_r_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::LayerUnbiased,
                                                          .ropeStyle = backend::RopeStyle::Interleaved}));
    INGLE_TRY_ASSIGN(spec.logitScale, keys.f32("logit_scale"));
    for (LayerSpec& layer : spec.layers) {
        layer.norms.beforeFfn = {};
        attentionOf(layer).headNorm = HeadNormSpec{
            .kind = NormKind::Layer, .gain = HeadNormSpec::Gain::OfEachHead, .presence = Presence::Optional};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("command-r", sizes, metadata, NormKind::LayerUnbiased);
    metadata.set("command-r.logit_scale", 0.0625);
}

}  // namespace

extern const ModelFamily family{.arch = "command-r", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::command_r_family
