/// MiniMax M2: q and k are normalised as whole rows, rotary positions on a part of each head, experts in
/// every layer. Source: the model as published with transformers,
/// src/transformers/models/minimax_m2/modeling_minimax_m2.py (2025).
#include "engine/models/decoder.h"

namespace ingle::models::minimax_m2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY(readMixture(keys, spec, {.scores = kernels::ExpertScores::Sigmoid, .hasDenseLayers = false}));
    for (LayerSpec& layer : spec.layers) {
        attentionOf(layer).headNorm = HeadNormSpec{.gain = HeadNormSpec::Gain::OfRow};
        if (ExpertsSpec* experts = expertsOf(layer)) {
            experts->rule.renormalise = true;
            experts->sharedDim = 0;
        }
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("minimax-m2", sizes, metadata);
    synthesizeMixture("minimax-m2", sizes, metadata);
    metadata.set("minimax-m2.rope.dimension_count", int64_t{sizes.dim / sizes.numHeads / 4 * 2});
}

}  // namespace

extern const ModelFamily family{.arch = "minimax-m2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::minimax_m2_family
