/// Qwen2 and Qwen2.5: Llama's layer with biases on q, k, v and half-split rotary pairs.
/// Source: Yang et al., "Qwen2 Technical Report" (2024), section 2.2.
#include "engine/models/decoder.h"

namespace ingle::models {
namespace {

void build(graph::Builder& builder, const ModelConfig& config, const Weights& weights) {
    buildPreNormDecoder(builder, config, weights, backend::RopeStyle::HalfSplit);
}

std::vector<TensorSpec> tensors(const ModelConfig& config) {
    return decoderTensors(config, Presence::Required);
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen2", sizes, metadata);
}

}  // namespace

extern const ModelFamily qwen2_family;
const ModelFamily qwen2_family{
    .arch = "qwen2",
    .prefix = Prefix::Causal,
    .readConfig = readDecoderConfig,
    .tensors = tensors,
    .memory = decoderMemory,
    .build = build,
    .synthesize = synthesize,
};

}  // namespace ingle::models
