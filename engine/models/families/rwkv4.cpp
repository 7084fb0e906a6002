/// RWKV-4 ("Dove"), as rwkv.cpp writes it: time_mix_decay is -exp(raw) already.
/// Source: Peng et al., "RWKV: Reinventing RNNs for the Transformer Era" (2023), section 3.1.
#include "engine/models/rwkv.h"

namespace ingle::models::rwkv4_family {
namespace {

using tensor::Shape;

std::vector<TensorSpec> layerTensors(const RwkvConfig& c, uint32_t) {
    using enum backend::WeightUse;
    const Shape vector = Shape::of(c.facts.dim);
    const Shape square = Shape::of(c.facts.dim, c.facts.dim);
    return {
        {"time_mix_lerp_k.weight", vector, Vector},
        {"time_mix_lerp_v.weight", vector, Vector},
        {"time_mix_lerp_r.weight", vector, Vector},
        {"time_mix_decay.weight", vector, Vector},
        {"time_mix_first.weight", vector, Vector},
        {"time_mix_key.weight", square},
        {"time_mix_value.weight", square},
        {"time_mix_receptance.weight", square},
        {"time_mix_output.weight", square},
        {"channel_mix_lerp_k.weight", vector, Vector},
        {"channel_mix_lerp_r.weight", vector, Vector},
        {"channel_mix_key.weight", Shape::of(c.facts.dim, c.ffnDim)},
        {"channel_mix_value.weight", Shape::of(c.ffnDim, c.facts.dim)},
        {"channel_mix_receptance.weight", square},
    };
}

std::vector<TensorSpec> tensors(const RwkvConfig& c) {
    return rwkvTensors(c, [&](uint32_t layer) { return layerTensors(c, layer); });
}

/// Numerator, denominator and exponent of each channel's weighted sums follow the token shifts.
backend::MemorySpec memory(const RwkvConfig& c) {
    backend::MemorySpec spec = rwkvShiftMemory(c);
    for (uint32_t layer = 0; layer < c.facts.numLayers; ++layer) {
        spec.states.push_back({layerWeight(layer, "wkv_numerator"), c.facts.dim});
        spec.states.push_back({layerWeight(layer, "wkv_denominator"), c.facts.dim});
        spec.states.push_back({layerWeight(layer, "wkv_exponent"), c.facts.dim, -1e30f});
    }
    return spec;
}

uint32_t sumsState(const RwkvConfig& c, uint32_t layer) {
    return channelShiftState(c.facts.numLayers - 1) + 1 + 3 * layer;
}

graph::Value timeMix(graph::Builder& b, const RwkvConfig& c, const Weights& weights, uint32_t layer,
                     graph::Value x) {
    const auto w = [&](std::string_view name) { return weights[layerWeight(layer, name)]; };
    const graph::Value p = b.tokenShift(x, timeShiftState(layer), "attn_previous");
    const graph::Value xk = b.lerp(p, x, w("time_mix_lerp_k.weight"), "xk");
    const graph::Value xv = b.lerp(p, x, w("time_mix_lerp_v.weight"), "xv");
    const graph::Value xr = b.lerp(p, x, w("time_mix_lerp_r.weight"), "xr");
    const graph::Value r = b.linear(xr, w("time_mix_receptance.weight"), "r");
    const graph::Value k = b.linear(xk, w("time_mix_key.weight"), "k");
    const graph::Value v = b.linear(xv, w("time_mix_value.weight"), "v");
    const graph::Value y =
        b.wkv4(k, v, w("time_mix_decay.weight"), w("time_mix_first.weight"),
               {.state = sumsState(c, layer), .numHeads = c.facts.dim, .headSize = 1}, "wkv");
    const graph::Value gate = b.activation(r, backend::ActivationKind::Sigmoid, "r_sigmoid");
    return b.linear(b.multiply(gate, y, "wkv_gated"), w("time_mix_output.weight"), "time_mix");
}

void build(graph::Builder& b, const RwkvConfig& c, const Weights& w) {
    const auto channelMix = [&](uint32_t layer, graph::Value x) {
        return receptanceChannelMix(b, w, layer, b.tokenShift(x, channelShiftState(layer), "ffn_previous"),
                                    x);
    };
    buildRwkv(
        b, c, w, [&](uint32_t layer, graph::Value x) { return timeMix(b, c, w, layer, x); }, channelMix);
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeRwkv("rwkv4", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{
    .arch = "rwkv4",
    .open = openRwkv<RwkvConfig, readRwkv, tensors, memory, build>,
    .synthesize = synthesize,
};

}  // namespace ingle::models::rwkv4_family
