/// Qwen3: Qwen2's layer without biases, with q and k normalised head by head.
/// Source: Yang et al., "Qwen3 Technical Report" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models {
namespace {

void build(graph::Builder& b, const ModelConfig& c, const Weights& w) {
    graph::Value h = b.embed(w["token_embd.weight"], "embed");  // [numTokens, dim]
    for (uint32_t layer = 0; layer < c.numLayers; ++layer) {
        b.setScope(fmt::format("blk.{}", layer));
        const graph::Value n1 =
            b.rmsNorm(h, w[layerWeight(layer, "attn_norm.weight")], c.normEps, "attn_norm");
        h = b.add(h, rotaryAttention(b, c, w, layer, n1, backend::RopeStyle::HalfSplit), "attn_residual");
        const graph::Value n2 = b.rmsNorm(h, w[layerWeight(layer, "ffn_norm.weight")], c.normEps, "ffn_norm");
        h = b.add(h, swiGlu(b, w, layer, n2), "ffn_residual");
    }
    b.setScope("");
    const graph::Value n = b.rmsNorm(h, w["output_norm.weight"], c.normEps, "output_norm");
    b.logits(b.linear(n, c.tiedOutput ? w["token_embd.weight"] : w["output.weight"], "logits"));
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
