/// Laguna: a softplus of a gate behind attention, which is one for each head or one for each of its numbers;
/// heads of q and k are normalised; some layers have windows, and positions of their own; experts behind the
/// first layers with one more that every row goes to. Source: the model's published configuration and code
/// (poolside, 2026).
#include "engine/models/decoder.h"

namespace ingle::models::laguna_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const uint32_t window, keys.u32Or("attention.sliding_window", 0));
    if (window > 0) {
        std::vector<bool> windowed;
        if (keys.isArray("attention.sliding_window_pattern")) {
            INGLE_TRY_ASSIGN(windowed, readWindowed(keys, spec.facts.numLayers, 0));
        } else {  // a period whose first layer has none
            INGLE_TRY_ASSIGN(const uint32_t period, keys.u32Or("attention.sliding_window_pattern", 4));
            for (uint32_t i = 0; i < spec.facts.numLayers; ++i)
                windowed.push_back(period == 0 || i % period != 0);
        }
        INGLE_TRY(readWindows(keys, spec, windowed));
        INGLE_TRY(readWindowedHeads(keys, spec, windowed));
    }
    INGLE_TRY(readMixture(
        keys, spec, {.scores = kernels::ExpertScores::Sigmoid, .shared = MixtureTraits::Shared::Length}));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        AttentionSpec& attention = attentionOf(spec.layers[i]);
        attention.headNorm = HeadNormSpec{};
        const tensor::Tensor* gate = keys.file().find(layerWeight(i, "attn_gate.weight"));
        attention.outputGate =
            OutputGateSpec{.activation = backend::ActivationKind::Softplus,
                           .isOfHeads = !gate || gate->shape.numRows() == attention.numHeads};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("laguna", sizes, metadata);
    synthesizeMixture("laguna", sizes, metadata);
    metadata.set("laguna.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("laguna.attention.sliding_window_pattern", int64_t{2});
    metadata.set("laguna.attention.key_length_swa", int64_t{sizes.dim / sizes.numHeads});
    metadata.set("laguna.attention.value_length_swa", int64_t{sizes.dim / sizes.numHeads});
    metadata.set("laguna.rope.dimension_count_swa", int64_t{sizes.dim / sizes.numHeads});
    metadata.set("laguna.rope.freq_base_swa", 10000.0);
}

}  // namespace

extern const ModelFamily family{.arch = "laguna", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::laguna_family
