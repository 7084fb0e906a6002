/// Qwen3: Qwen2's layer without biases, with q and k normalised head by head.
/// Source: Yang et al., "Qwen3 Technical Report" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models {
namespace {

void build(graph::Builder& builder, const ModelConfig& config, const Weights& weights) {
    buildPreNormDecoder(builder, config, weights, backend::RopeStyle::HalfSplit);
}

std::vector<TensorSpec> tensors(const ModelConfig& config) {
    std::vector<TensorSpec> specs = decoderTensors(config, Presence::Optional);
    for (uint32_t layer = 0; layer < config.numLayers; ++layer) {
        for (const std::string_view norm : {"attn_q_norm.weight", "attn_k_norm.weight"}) {
            specs.push_back(
                {layerWeight(layer, norm), tensor::Shape::of(config.headDim), backend::WeightUse::Vector});
        }
    }
    return specs;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen3", sizes, metadata);
}

}  // namespace

extern const ModelFamily qwen3_family;
const ModelFamily qwen3_family{
    .arch = "qwen3",
    .prefix = Prefix::Causal,
    .readConfig = readDecoderConfig,
    .tensors = tensors,
    .memory = decoderMemory,
    .build = build,
    .synthesize = synthesize,
};

}  // namespace ingle::models
