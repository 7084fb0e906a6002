/// Llama 1-3, Mistral, and llama2.c files.
/// Source: Touvron et al., "LLaMA: Open and Efficient Foundation Language Models" (2023), section 2.2.
#include "engine/models/decoder.h"

namespace ingle::models {
namespace {

void build(graph::Builder& b, const ModelConfig& c, const Weights& w) {
    graph::Value h = b.embed(w["token_embd.weight"], "embed");  // [numTokens, dim]
    for (uint32_t layer = 0; layer < c.numLayers; ++layer) {
        b.setScope(fmt::format("blk.{}", layer));
        const graph::Value n1 =
            b.rmsNorm(h, w[layerWeight(layer, "attn_norm.weight")], c.normEps, "attn_norm");
        h = b.add(h, rotaryAttention(b, c, w, layer, n1, backend::RopeStyle::Interleaved), "attn_residual");
        const graph::Value n2 = b.rmsNorm(h, w[layerWeight(layer, "ffn_norm.weight")], c.normEps, "ffn_norm");
        h = b.add(h, swiGlu(b, w, layer, n2), "ffn_residual");
    }
    b.setScope("");
    const graph::Value n = b.rmsNorm(h, w["output_norm.weight"], c.normEps, "output_norm");
    b.logits(b.linear(n, c.tiedOutput ? w["token_embd.weight"] : w["output.weight"], "logits"));
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
