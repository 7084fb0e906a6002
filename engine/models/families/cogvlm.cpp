/// The language model of CogVLM for text: Llama's layer, q, k and v in one matrix; the experts for pictures
/// are left alone. Source: Wang et al., "CogVLM: Visual Expert for Pretrained Language Models" (2023),
/// section 2.1.
#include "engine/models/decoder.h"

namespace ingle::models::cogvlm_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.hasRopeFactors = false}));
    for (LayerSpec& layer : spec.layers) {
        attentionOf(layer).projections = AttentionSpec::Projections::FusedThirds;
        attentionOf(layer).hasQkvFactors = false;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("cogvlm", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "cogvlm", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::cogvlm_family
