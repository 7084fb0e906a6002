/// OLMoE: q and k are normalised as whole rows, and shares of experts are what the softmax over all of them
/// says. Source: Muennighoff et al., "OLMoE: Open Mixture-of-Experts Language Models" (2024), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::olmoe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY(readExperts(keys, spec));
    for (LayerSpec& layer : spec.layers) {
        attentionOf(layer).headNorm = HeadNormSpec{.gain = HeadNormSpec::Gain::OfRow};
        if (ExpertsSpec* experts = expertsOf(layer)) experts->rule.renormalise = false;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("olmoe", sizes, metadata);
    synthesizeExperts("olmoe", sizes, metadata, 4);
}

}  // namespace

extern const ModelFamily family{.arch = "olmoe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::olmoe_family
