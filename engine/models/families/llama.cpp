/// Llama 1-3, Mistral, Mixtral, and llama2.c files.
/// Source: Touvron et al., "LLaMA: Open and Efficient Foundation Language Models" (2023), section 2.2.
#include "engine/models/decoder.h"

namespace ingle::models {
namespace {

void build(graph::Builder& builder, const ModelConfig& config, const Weights& weights) {
    buildPreNormDecoder(builder, config, weights, backend::RopeStyle::Interleaved);
}

std::vector<TensorSpec> tensors(const ModelConfig& config) {
    return decoderTensors(config, Presence::Optional);
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("llama", sizes, metadata);
}

}  // namespace

extern const ModelFamily llama_family;
const ModelFamily llama_family{
    .arch = "llama",
    .prefix = Prefix::Causal,
    .readConfig = readDecoderConfig,
    .tensors = tensors,
    .memory = decoderMemory,
    .build = build,
    .synthesize = synthesize,
};

}  // namespace ingle::models
