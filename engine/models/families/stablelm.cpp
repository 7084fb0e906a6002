/// StableLM 3B and StableLM 2: LayerNorm, rotary positions on a part of each head; the 12B model normalises
/// the heads of q and k, and its halves of a layer read the same norm. Source: Bellagente et al., "Stable LM
/// 2 1.6B Technical Report" (2024), section 2.2.
#include "engine/models/decoder.h"

namespace ingle::models {
namespace {

using tensor::Shape;

Result<ModelConfig> readConfig(const formats::ModelFile& file) {
    INGLE_TRY_ASSIGN(ModelConfig config, readDecoderConfig(file));
    // Files state the key, and not always rightly; the norm's absence decides.
    INGLE_TRY_ASSIGN(const bool stated, file.metadata.boolOr("stablelm.use_parallel_residual", true));
    config.parallelResidual = stated && !file.find(layerWeight(0, "ffn_norm.weight"));
    return config;
}

std::vector<TensorSpec> tensors(const ModelConfig& c) {
    using enum backend::WeightUse;
    std::vector<TensorSpec> specs = decoderTensors(c, Presence::Optional);
    for (uint32_t layer = 0; layer < c.numLayers; ++layer) {
        specs.push_back({layerWeight(layer, "attn_q_norm.weight"), Shape::of(c.headDim, c.numHeads), Vector,
                         Presence::Optional});
        specs.push_back({layerWeight(layer, "attn_k_norm.weight"), Shape::of(c.headDim, c.numKvHeads), Vector,
                         Presence::Optional});
    }
    return specs;
}

void build(graph::Builder& builder, const ModelConfig& config, const Weights& weights) {
    buildPreNormDecoder(builder, config, weights, backend::RopeStyle::HalfSplit);
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("stablelm", sizes, metadata, NormKind::Layer);
    metadata.set("stablelm.use_parallel_residual", false);
    metadata.set("stablelm.rope.dimension_count", int64_t{sizes.dim / sizes.numHeads / 4 / 2 * 2});
}

}  // namespace

extern const ModelFamily stablelm_family;
const ModelFamily stablelm_family{
    .arch = "stablelm",
    .prefix = Prefix::Causal,
    .readConfig = readConfig,
    .tensors = tensors,
    .memory = decoderMemory,
    .build = build,
    .synthesize = synthesize,
};

}  // namespace ingle::models
