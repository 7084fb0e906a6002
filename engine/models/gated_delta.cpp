#include <cmath>

#include "engine/backend/chunk_state.h"
#include "engine/models/layer_parts.h"

namespace ingle::models {
namespace {

using backend::ActivationKind;
using tensor::Shape;
using Files = GatedDeltaSpec::Files;

/// DeltaWidths of rows.
struct DeltaWidths {
    uint32_t keys;    ///< of all key heads; queries are as wide
    uint32_t values;  ///< of all value heads; gates are as wide
    uint32_t mixed() const { return 2 * keys + values; }
};

DeltaWidths widthsOf(const GatedDeltaSpec& spec) {
    return {spec.numKeyHeads * spec.keyDim, spec.numValueHeads * spec.valueDim};
}

backend::ShortConvParams convParams(const GatedDeltaSpec& spec, uint32_t state) {
    return {state, spec.kernel};
}

backend::GatedDeltaParams deltaParams(const GatedDeltaSpec& spec, uint32_t state) {
    return {.state = state,
            .numKeyHeads = spec.numKeyHeads,
            .numValueHeads = spec.numValueHeads,
            .keyDim = spec.keyDim,
            .valueDim = spec.valueDim,
            .pairing = spec.pairing};
}

/// What the layer makes of its input.
struct DeltaInputs {
    graph::Value mixed;  ///< [numTokens, all q, all k, all v]
    graph::Value gates;  ///< [numTokens, numValueHeads * valueDim]
    graph::Value rates;  ///< [numTokens, numValueHeads], as the next
    graph::Value steps;
};

DeltaInputs project(const GatedDeltaSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    const auto linear = [&](std::string_view name, std::string_view trace) {
        return layer.linear(x, name, trace, factorsOf(spec));
    };
    DeltaInputs p;
    if (spec.files == Files::AllByKeyHead) {
        const uint32_t heads = spec.numKeyHeads;
        const uint32_t values = widthsOf(spec).values / heads;  // of a key head
        const graph::Value all = linear("ssm_in", "mixed_by_head");
        const graph::Value q = b.slice(all, {heads, 0, spec.keyDim}, "q_by_head");
        const graph::Value k = b.slice(all, {heads, spec.keyDim, spec.keyDim}, "k_by_head");
        const graph::Value v = b.slice(all, {heads, 2 * spec.keyDim, values}, "v_by_head");
        p.gates = b.slice(all, {heads, 2 * spec.keyDim + values, values}, "z");
        p.mixed = b.concat(b.concat(q, k, 1, "qk_mixed"), v, 1, "mixed");
    } else {
        p.mixed = linear("attn_qkv", "mixed");
        p.gates = linear("attn_gate", "z");
    }
    if (spec.files == Files::Separate) {
        p.rates = linear("ssm_beta", "beta");
        p.steps = linear("ssm_alpha", "alpha");
    } else {
        const uint32_t each = spec.numValueHeads / spec.numKeyHeads;
        const graph::Value both = linear("ssm_ba", "beta_alpha");
        p.rates = b.slice(both, {spec.numKeyHeads, 0, each}, "beta");
        p.steps = b.slice(both, {spec.numKeyHeads, each, each}, "alpha");
    }
    return p;
}

}  // namespace

void listTensors(const GatedDeltaSpec& spec, LayerTensors& tensors) {
    const DeltaWidths widths = widthsOf(spec);
    const auto add = [&](std::string_view name, uint64_t in, uint64_t out) {
        tensors.linear(name, in, out, Presence::Optional, BiasOrder::BehindFactor);
    };
    if (spec.files == Files::AllByKeyHead) {
        add("ssm_in", tensors.dim(), uint64_t{widths.mixed()} + widths.values);
    } else {
        add("attn_qkv", tensors.dim(), widths.mixed());
        add("attn_gate", tensors.dim(), widths.values);
    }
    if (spec.files == Files::Separate) {
        add("ssm_beta", tensors.dim(), spec.numValueHeads);
        add("ssm_alpha", tensors.dim(), spec.numValueHeads);
    } else {
        add("ssm_ba", tensors.dim(), uint64_t{2} * spec.numValueHeads);
    }
    tensors.vector("ssm_conv1d.weight", Shape::of(spec.kernel, widths.mixed()));
    tensors.vector("ssm_a", Shape::of(spec.numValueHeads));
    tensors.vector("ssm_dt.bias", Shape::of(spec.numValueHeads));
    tensors.vector("ssm_norm.weight", Shape::of(spec.valueDim));
    add("ssm_out", widths.values, tensors.dim());
}

void listMemory(const GatedDeltaSpec& spec, backend::MemorySpec& memory) {
    const size_t number = memory.states.size();
    const auto state = static_cast<uint32_t>(number);
    memory.states.push_back(
        backend::ringState(fmt::format("conv.{}", number), convParams(spec, state), widthsOf(spec).mixed()));
    memory.states.push_back(backend::chunkedState(fmt::format("delta.{}", number),
                                                  backend::layoutOf(deltaParams(spec, state + 1))));
}

graph::Value mix(const GatedDeltaSpec& spec, const LayerBuilder& layer, graph::Value x) {
    graph::Builder& b = layer.b;
    const DeltaWidths widths = widthsOf(spec);
    const DeltaInputs p = project(spec, layer, x);
    graph::Value mixed = b.shortConv(p.mixed, layer.w("ssm_conv1d.weight"), nullptr,
                                     convParams(spec, layer.firstState), "conv");
    mixed = b.activation(mixed, ActivationKind::Silu, "conv_silu");
    // Queries and keys of length 1: x / sqrt(|x|² + eps) is their RMS norm over the root of their size.
    const auto size = static_cast<float>(spec.keyDim);
    graph::Value unit = b.slice(mixed, {1, 0, 2 * widths.keys}, "qk");
    unit = b.rmsNorm(unit, nullptr, layer.normEps / size, "qk_norm", 2 * spec.numKeyHeads);
    unit = b.scale(unit, 1 / std::sqrt(size), "qk_unit");
    const graph::Value q = b.slice(unit, {1, 0, widths.keys}, "q");            // [numTokens, keys]
    const graph::Value k = b.slice(unit, {1, widths.keys, widths.keys}, "k");  // [numTokens, keys]
    const graph::Value v = b.slice(mixed, {1, 2 * widths.keys, widths.values}, "v");
    graph::Value y = b.gatedDelta(b.scale(q, 1 / std::sqrt(size), "q_scaled"), k, v, p.steps,
                                  b.activation(p.rates, ActivationKind::Sigmoid, "beta_sigmoid"),
                                  layer.w("ssm_a"), layer.w("ssm_dt.bias"),
                                  deltaParams(spec, layer.firstState + 1), "delta");  // [numTokens, values]
    y = b.rmsNorm(y, layer.w("ssm_norm.weight"), layer.normEps, "delta_norm", spec.numValueHeads);
    y = b.multiply(b.activation(p.gates, ActivationKind::Silu, "z_silu"), y, "delta_gated");
    return layer.linear(y, "ssm_out", "mixer_output", factorsOf(spec));
}

}  // namespace ingle::models
