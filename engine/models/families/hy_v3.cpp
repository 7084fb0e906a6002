/// Hunyuan 3: heads of q and k are normalised, experts behind the first layers with one more that every row
/// goes to. Source: the model's published configuration and code (Tencent, 2026).
#include "engine/models/decoder.h"

namespace ingle::models::hy_v3_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.hasFfnFactors = true}));
    const std::vector<LayerSpec> dense = spec.layers;
    INGLE_TRY(readMixture(keys, spec,
                          {.scores = kernels::ExpertScores::Sigmoid,
                           .hasDenseLayers = false,
                           .shared = MixtureTraits::Shared::Length}));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        attentionOf(layer).headNorm = HeadNormSpec{};
        // No key tells which layers lack experts.
        const auto has = [&](std::string_view name) {
            return keys.file().find(layerWeight(i, name)) != nullptr;
        };
        if (has("ffn_gate.weight") && !has("ffn_gate_inp.weight")) layer.ffn = dense[i].ffn;
        if (ExpertsSpec* experts = expertsOf(layer); experts && experts->sharedDim == 0)
            experts->sharedDim = experts->dim;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("hy_v3", sizes, metadata);
    synthesizeMixture("hy_v3", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "hy_v3", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::hy_v3_family
