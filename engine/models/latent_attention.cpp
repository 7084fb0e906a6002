#include "engine/models/layer_parts.h"

namespace ingle::models {

using tensor::Shape;

void listTensors(const LatentAttentionSpec& spec, LayerTensors& tensors) {
    const uint64_t heads = spec.numHeads;
    const uint64_t queries = heads * (spec.plainDim + spec.rotatedDim);
    const auto linear = [&](std::string_view name, uint64_t in, uint64_t out) {
        tensors.linear(name, in, out, Presence::Optional, BiasOrder::BehindFactor);
    };
    if (spec.queryRank > 0) {
        linear("attn_q_a", tensors.dim(), spec.queryRank);
        tensors.vector("attn_q_a_norm.weight", Shape::of(spec.queryRank));
        linear("attn_q_b", spec.queryRank, queries);
    } else {
        linear("attn_q", tensors.dim(), queries);
    }
    linear("attn_kv_a_mqa", tensors.dim(), uint64_t{spec.rank} + spec.rotatedDim);
    tensors.vector("attn_kv_a_norm.weight", Shape::of(spec.rank));
    if (spec.isSplit) {
        tensors.matrix("attn_k_b.weight", Shape::of(spec.plainDim, spec.rank, heads));
        tensors.matrix("attn_v_b.weight", Shape::of(spec.rank, spec.valueDim, heads));
    } else {
        tensors.matrix("attn_kv_b.weight",
                       Shape::of(spec.rank, heads * (uint64_t{spec.plainDim} + spec.valueDim)));
    }
    if (spec.hasOutputGate) linear("attn_gate", tensors.dim(), heads);
    linear("attn_output", heads * spec.valueDim, tensors.dim());
}

void listMemory(const LatentAttentionSpec& spec, backend::MemorySpec& memory) {
    memory.kv.push_back({.keyElems = spec.rank + spec.rotatedDim, .valueElems = 0});
}

graph::Value mix(const LatentAttentionSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    const uint32_t heads = spec.numHeads;
    const float normEps = spec.normEps != 0 ? spec.normEps : layer.normEps;
    const auto rotated = [&](graph::Value part, uint32_t numHeads, std::string_view name) {
        if (!spec.rope) return part;
        const auto& [perPair, magnitude] = spec.rope->frequencies;
        return b.rope(part, {numHeads, spec.rotatedDim, perPair, magnitude, spec.rope->style}, name);
    };
    graph::Value q = x;  // then [numTokens, numHeads * (plainDim + rotatedDim)]
    if (spec.queryRank > 0) {
        q = layer.linear(x, "attn_q_a", "q_latent");
        q = b.rmsNorm(q, layer.w("attn_q_a_norm.weight"), normEps, "q_latent_norm");
        q = layer.linear(q, "attn_q_b", "q");
    } else {
        q = layer.linear(x, "attn_q", "q", spec.hasQueryFactors ? Factors::Used : Factors::LeftAlone);
    }
    const graph::Value plain = b.slice(q, {heads, 0, spec.plainDim}, "q_plain");
    const graph::Value qRope =
        rotated(b.slice(q, {heads, spec.plainDim, spec.rotatedDim}, "q_part"), heads, "q_rope");

    const graph::Value kv = layer.linear(x, "attn_kv_a_mqa", "kv");  // [numTokens, rank + rotatedDim]
    const graph::Value latent = b.rmsNorm(b.slice(kv, {1, 0, spec.rank}, "latent"),
                                          layer.w("attn_kv_a_norm.weight"), normEps, "latent_norm");
    const graph::Value kRope = rotated(b.slice(kv, {1, spec.rank, spec.rotatedDim}, "k_part"), 1, "k_rope");
    b.kvAppend(b.concat(latent, kRope, 1, "k"), layer.cacheLayer);

    // q·(K c) = (K^T q)·c: queries become latent, keys stay so.
    const graph::Value absorbed =
        spec.isSplit
            ? b.headLinear(plain, layer.w("attn_k_b.weight"), {heads, 0, spec.rank}, "q_absorbed")
            : b.headLinear(plain, layer.w("attn_kv_b.weight"), {heads, 0, spec.plainDim, true}, "q_absorbed");
    const graph::Value attended = b.attention(b.concat(absorbed, qRope, heads, "q_all"),
                                              {.layer = layer.cacheLayer,
                                               .numHeads = heads,
                                               .numKvHeads = 1,
                                               .keyDim = spec.rank + spec.rotatedDim,
                                               .valueDim = spec.rank,
                                               .scale = spec.scale},
                                              "attention");  // [numTokens, numHeads * rank]
    graph::Value values =
        spec.isSplit ? b.headLinear(attended, layer.w("attn_v_b.weight"), {heads, 0, spec.valueDim}, "values")
                     : b.headLinear(attended, layer.w("attn_kv_b.weight"),
                                    {heads, spec.plainDim, spec.valueDim}, "values");
    if (spec.hasOutputGate) {
        const graph::Value gate = b.activation(layer.linear(x, "attn_gate", "gate", Factors::LeftAlone),
                                               backend::ActivationKind::Sigmoid, "gate_sigmoid");
        values = b.scaleParts(values, gate, "values_gated");
    }
    return layer.linear(values, "attn_output", "attn_output",
                        spec.hasOutputGate ? Factors::LeftAlone : Factors::Used);
}

}  // namespace ingle::models
