/// Embeddings that each layer has of the tokens for itself. Source: Google, "Gemma 3n model overview" (2025),
/// per-layer embeddings; Gemma's published code.
#include <cmath>
#include <numbers>

#include "engine/models/layer_parts.h"

namespace ingle::models {

using tensor::Shape;
using enum backend::WeightUse;

void listOwnEmbeddings(const DecoderSpec& spec, uint32_t width, std::vector<TensorSpec>& tensors) {
    const uint64_t all = uint64_t{width} * spec.layers.size();
    tensors.push_back({"per_layer_token_embd.weight", Shape::of(all, spec.facts.vocabSize)});
    tensors.push_back({"per_layer_model_proj.weight", Shape::of(spec.facts.dim, all)});
    tensors.push_back({"per_layer_proj_norm.weight", Shape::of(width), Vector});
}

/// ( sqrt(width) * table[token] + norm(Wproj h / sqrt(dim)) ) / sqrt(2), the norm over each layer's part.
graph::Value ownEmbeddings(graph::Builder& b, const DecoderSpec& spec, const Weights& w, uint32_t width,
                           graph::Value h) {
    const auto root = [](uint32_t number) { return std::sqrt(static_cast<float>(number)); };
    graph::Value own = b.embed(w["per_layer_token_embd.weight"], "own_embed");  // [numTokens, layers * width]
    own = b.scale(own, root(width), "own_embed_scaled");
    graph::Value shared = b.linear(h, w["per_layer_model_proj.weight"], "own_proj");
    shared = b.scale(shared, 1 / root(spec.facts.dim), "own_proj_scaled");
    shared = b.rmsNorm(shared, w["per_layer_proj_norm.weight"], spec.normEps, "own_proj_norm",
                       shared.width / width);
    return b.scale(b.add(own, shared, "own_sum"), 1 / std::numbers::sqrt2_v<float>, "own_embeddings");
}

void listOwnEmbedding(uint32_t width, LayerTensors& tensors) {
    tensors.matrix("inp_gate.weight", Shape::of(tensors.dim(), width));
    tensors.matrix("proj.weight", Shape::of(width, tensors.dim()));
    tensors.norm("post_norm", NormKind::Rms);
}

graph::Value withOwnEmbedding(const LayerBuilder& layer, uint32_t width, graph::Value embeddings,
                              graph::Value h) {
    graph::Builder& b = layer.b;
    const graph::Value own = b.slice(embeddings, {1, layer.layer * width, width}, "own_embedding");
    const graph::Value gate = b.linear(h, layer.w("inp_gate.weight"), "own_gate");  // [numTokens, width]
    const graph::Value activated = b.activation(gate, backend::ActivationKind::Gelu, "own_activated");
    const graph::Value gated = b.multiply(activated, own, "own_gated");
    const graph::Value made = b.linear(gated, layer.w("proj.weight"), "own_made");  // [numTokens, dim]
    return b.add(h, b.rmsNorm(made, layer.w("post_norm.weight"), layer.normEps, "own_norm"), "own_residual");
}

}  // namespace ingle::models
