#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/models/layer_parts.h"

namespace ingle::models {
namespace {

using tensor::Shape;
using Projections = AttentionSpec::Projections;

Shape gainOf(const HeadNormSpec& norm, uint32_t numHeads, uint32_t headDim) {
    switch (norm.gain) {
        case HeadNormSpec::Gain::None:
            break;
        case HeadNormSpec::Gain::OfAllHeads:
            return Shape::of(headDim);
        case HeadNormSpec::Gain::OfEachHead:
            return Shape::of(headDim, numHeads);
        case HeadNormSpec::Gain::OfRow:
            return Shape::of(uint64_t{headDim} * numHeads);
    }
    return {};
}

/// What attention reads; keys and values are not set where they are another layer's, the gate where there is
/// none.
struct Projected {
    graph::Value q;     ///< [numTokens, numHeads * keyDim]
    graph::Value k;     ///< [numTokens, numKvHeads * keyDim]
    graph::Value v;     ///< [numTokens, numKvHeads * valueDim]
    graph::Value gate;  ///< [numTokens, numHeads * valueDim]
};

Projected project(const AttentionSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    Projected p;
    if (spec.projections == Projections::FusedByHead) {
        const graph::Value qkv = layer.linear(x, "attn_qkv", "qkv");
        p.q = b.slice(qkv, {spec.numHeads, 0, spec.keyDim}, "q");
        p.k = b.slice(qkv, {spec.numHeads, spec.keyDim, spec.keyDim}, "k");
        p.v = b.slice(qkv, {spec.numHeads, 2 * spec.keyDim, spec.valueDim}, "v");
        return p;
    }
    const Factors factors = spec.hasQkvFactors ? Factors::Used : Factors::LeftAlone;
    p.q = layer.linear(x, "attn_q", "q", factors);
    if (!spec.cacheOf) {
        p.k = layer.linear(x, "attn_k", "k", factors);
        p.v = spec.projections == Projections::ValuesAreKeys ? p.k : layer.linear(x, "attn_v", "v", factors);
    }
    if (spec.projections == Projections::GatedQueries) {
        p.gate = b.slice(p.q, {spec.numHeads, spec.keyDim, spec.valueDim}, "gate");
        p.q = b.slice(p.q, {spec.numHeads, 0, spec.keyDim}, "q_alone");
    }
    return p;
}

}  // namespace

std::vector<float> alibiSlopes(uint32_t numHeads, float maxBias) {
    const uint32_t powerOf2 = std::bit_floor(numHeads);
    const double step = maxBias / static_cast<double>(powerOf2);
    std::vector<float> slopes;
    for (uint32_t head = 0; head < numHeads; ++head) {
        const double exponent = head < powerOf2 ? step * (head + 1) : step / 2 * (2 * (head - powerOf2) + 1);
        slopes.push_back(static_cast<float>(std::exp2(-exponent)));
    }
    return slopes;
}

void listTensors(const AttentionSpec& spec, LayerTensors& tensors) {
    const uint64_t queries = uint64_t{spec.numHeads} * spec.keyDim;
    const uint64_t keys = uint64_t{spec.numKvHeads} * spec.keyDim;
    const uint64_t values = uint64_t{spec.numKvHeads} * spec.valueDim;
    const bool ownsCache = !spec.cacheOf;
    const auto add = [&](std::string_view name, uint64_t first, uint64_t count) {
        const bool isWide =
            spec.projections == Projections::FusedWide || spec.projections == Projections::FusedThirds;
        const RowsOf fused{"attn_qkv", isWide ? 3 * queries : queries + keys + values, first,
                           isWide || spec.projections == Projections::Fused};
        tensors.linear(name, tensors.dim(), count, spec.qkvBias, BiasOrder::BehindFactor, &fused);
    };
    if (spec.projections == Projections::GatedQueries) {
        tensors.linear("attn_q", tensors.dim(), queries + uint64_t{spec.numHeads} * spec.valueDim,
                       spec.qkvBias, BiasOrder::BehindFactor);
        tensors.linear("attn_k", tensors.dim(), keys, spec.qkvBias, BiasOrder::BehindFactor);
        tensors.linear("attn_v", tensors.dim(), values, spec.qkvBias, BiasOrder::BehindFactor);
    } else if (spec.projections == Projections::FusedByHead) {
        tensors.linear("attn_qkv", tensors.dim(), queries + keys + values, spec.qkvBias,
                       BiasOrder::BehindFactor);
    } else {
        add("attn_q", 0, queries);
        if (ownsCache) add("attn_k", queries, keys);
        if (ownsCache && spec.projections != Projections::ValuesAreKeys)
            add("attn_v", spec.projections == Projections::FusedThirds ? 2 * queries : queries + keys,
                values);
    }
    if (spec.outputGate)
        tensors.linear("attn_gate", tensors.dim(),
                       uint64_t{spec.numHeads} * (spec.outputGate->isOfHeads ? 1 : spec.valueDim),
                       Presence::Optional, BiasOrder::BehindFactor);
    tensors.linear("attn_output", uint64_t{spec.numHeads} * spec.valueDim, tensors.dim(), spec.outputBias,
                   BiasOrder::BehindFactor);
    if (spec.hasSinks) tensors.vector("attn_sinks.weight", Shape::of(spec.numHeads));
    if (!spec.headNorm || spec.headNorm->gain == HeadNormSpec::Gain::None) return;
    const HeadNormSpec& norm = *spec.headNorm;
    tensors.vector("attn_q_norm.weight", gainOf(norm, spec.numHeads, spec.keyDim), norm.presence);
    if (ownsCache)
        tensors.vector("attn_k_norm.weight", gainOf(norm, spec.numKvHeads, spec.keyDim), norm.presence);
    if (norm.kind != NormKind::Layer) return;
    tensors.vector("attn_q_norm.bias", gainOf(norm, spec.numHeads, spec.keyDim), norm.presence);
    tensors.vector("attn_k_norm.bias", gainOf(norm, spec.numKvHeads, spec.keyDim), norm.presence);
}

void listMemory(const AttentionSpec& spec, backend::MemorySpec& memory) {
    if (spec.cacheOf) return;
    // A text that is read at once keeps all of its keys.
    const uint32_t kept = spec.mask == backend::Mask::Full ? 0 : std::max(spec.window, spec.chunk);
    memory.kv.push_back({.keyElems = spec.numKvHeads * spec.keyDim,
                         .valueElems = spec.numKvHeads * spec.valueDim,
                         .window = kept,
                         .keyDim = spec.keyDim});
}

graph::Value mix(const AttentionSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    // A norm of each head, or of all together.
    const auto normed = [&](graph::Value heads, uint32_t numHeads, std::string_view name) {
        if (!spec.headNorm) return heads;
        if (spec.headNorm->gain == HeadNormSpec::Gain::None)
            return b.rmsNorm(heads, nullptr, layer.normEps, name, numHeads);
        const tensor::Tensor* gain = layer.w(fmt::format("attn_{}.weight", name));
        if (!gain) return heads;
        const uint32_t groups = spec.headNorm->gain == HeadNormSpec::Gain::OfRow ? 1 : numHeads;
        if (spec.headNorm->kind == NormKind::Rms) return b.rmsNorm(heads, gain, layer.normEps, name, groups);
        return b.groupNorm(heads, gain, layer.w(fmt::format("attn_{}.bias", name)), groups, layer.normEps,
                           name);
    };
    const auto rotated = [&](graph::Value heads, uint32_t numHeads, std::string_view name) {
        if (!spec.rope) return heads;
        const auto& [style, frequencies, positions, axes] = *spec.rope;
        const uint32_t parts = positions == backend::RopePositions::OfToken ? 1 : 2;  // of a head
        return b.rope(heads,
                      {numHeads * parts, spec.keyDim / parts, frequencies.perPair, frequencies.magnitude,
                       style, positions, axes},
                      name);
    };
    const auto prepared = [&](graph::Value heads, uint32_t numHeads, std::string_view norm,
                              std::string_view rope) {
        if (spec.headNorm && spec.headNorm->isAfterRotation)
            return normed(rotated(heads, numHeads, rope), numHeads, norm);
        return rotated(normed(heads, numHeads, norm), numHeads, rope);
    };
    const auto clamped = [&](graph::Value heads, std::string_view name) {
        return spec.clamp == 0 || heads.width == 0 ? heads : b.clamp(heads, {-spec.clamp, spec.clamp}, name);
    };
    Projected p = project(spec, layer, x);
    p.q = clamped(p.q, "q_clamped");
    p.k = clamped(p.k, "k_clamped");
    p.v = clamped(p.v, "v_clamped");
    p.q = prepared(p.q, spec.numHeads, "q_norm", "q_rope");
    if (spec.temperature != 0)
        p.q = b.positionScale(p.q, {spec.temperature, spec.temperatureLength, spec.temperatureFirst},
                              "q_temperature");
    if (!spec.cacheOf) {
        p.k = prepared(p.k, spec.numKvHeads, "k_norm", "k_rope");
        if (spec.normsValues) p.v = b.rmsNorm(p.v, nullptr, layer.normEps, "v_norm", spec.numKvHeads);
        b.kvAppend(p.k, p.v, layer.cacheLayer);
    }
    graph::Value attended = b.attention(p.q,
                                        {.layer = layer.cacheLayer,
                                         .numHeads = spec.numHeads,
                                         .numKvHeads = spec.numKvHeads,
                                         .keyDim = spec.keyDim,
                                         .valueDim = spec.valueDim,
                                         .scale = spec.scale,
                                         .window = spec.window,
                                         .chunk = spec.chunk,
                                         .softCap = spec.softCap,
                                         .alibiSlopes = spec.alibiSlopes,
                                         .hasSinks = spec.hasSinks,
                                         .mask = spec.mask},
                                        "attention", layer.w("attn_sinks.weight"));
    if (spec.projections == Projections::GatedQueries)
        attended = b.multiply(b.activation(p.gate, backend::ActivationKind::Sigmoid, "gate_sigmoid"),
                              attended, "attention_gated");
    if (spec.outputGate) {
        const graph::Value gate = b.activation(layer.linear(x, "attn_gate", "gate", Factors::LeftAlone),
                                               spec.outputGate->activation, "gate_activated");
        attended = spec.outputGate->isOfHeads ? b.scaleParts(attended, gate, "attention_gated")
                                              : b.multiply(attended, gate, "attention_gated");
    }
    if (spec.outputScale != 1) attended = b.scale(attended, spec.outputScale, "attention_scaled");
    return layer.linear(attended, "attn_output", "attn_output");
}

}  // namespace ingle::models
