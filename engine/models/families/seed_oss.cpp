/// Seed-OSS: Llama's layer with biases on q, k and v and half-split rotary pairs.
/// Source: the model as published with transformers, src/transformers/models/seed_oss/modular_seed_oss.py.
#include "engine/models/decoder.h"

namespace ingle::models::seed_oss_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    for (LayerSpec& layer : spec.layers) {
        layer.norms.beforeFfn = "post_attention_norm";
        attentionOf(layer).qkvBias = Presence::Required;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("seed_oss", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "seed_oss", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::seed_oss_family
