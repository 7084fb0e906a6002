/// RWKV 5.1 and 5.2 ("Eagle"), as rwkv.cpp writes them: decay is exp(-exp(raw)) and the bonus exp(raw)
/// already. Source: Peng et al., "Eagle and Finch: RWKV with Matrix-Valued States and Dynamic Recurrence"
/// (2024), section 4.
#include "engine/models/rwkv.h"

namespace ingle::models::rwkv5_family {
namespace {

using tensor::Shape;

struct Rwkv5Config : RwkvConfig {
    bool hasGate = false;  ///< 5.2
};

Status read(const Keys& keys, Rwkv5Config& config) {
    INGLE_TRY(readRwkv(keys, config));
    INGLE_TRY(readRwkvHeads(keys, config));
    // rwkv.cpp files tell 5.2 from 5.1 by a tensor; files of our own say so.
    const bool gateTensor = keys.file().find("blk.0.time_mix_gate.weight") != nullptr;
    INGLE_TRY_ASSIGN(config.hasGate, keys.boolOr("time_mix_gate", gateTensor));
    return {};
}

std::vector<TensorSpec> layerTensors(const Rwkv5Config& c, uint32_t) {
    using enum backend::WeightUse;
    const Shape vector = Shape::of(c.facts.dim);
    const Shape square = Shape::of(c.facts.dim, c.facts.dim);
    // 5.2 has one decay and bonus per key channel, 5.1 one per head.
    const Shape coefficients = Shape::of(1, c.hasGate ? c.headSize : 1, c.numHeads);
    std::vector<TensorSpec> specs{
        {"time_mix_ln.weight", vector, Vector},
        {"time_mix_ln.bias", vector, Vector},
        {"time_mix_lerp_k.weight", vector, Vector},
        {"time_mix_lerp_v.weight", vector, Vector},
        {"time_mix_lerp_r.weight", vector, Vector},
        {"time_mix_decay.weight", coefficients, Vector},
        {"time_mix_first.weight", coefficients, Vector},
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
    if (c.hasGate) {
        specs.push_back({"time_mix_lerp_g.weight", vector, Vector});
        specs.push_back({"time_mix_gate.weight", square});
    }
    return specs;
}

std::vector<TensorSpec> tensors(const Rwkv5Config& c) {
    return rwkvTensors(c, [&](uint32_t layer) { return layerTensors(c, layer); });
}

graph::Value timeMix(graph::Builder& b, const Rwkv5Config& c, const Weights& weights, uint32_t layer,
                     graph::Value x) {
    const auto w = [&](std::string_view name) { return weights[layerWeight(layer, name)]; };
    const graph::Value p = b.tokenShift(x, timeShiftState(layer), "attn_previous");
    const graph::Value xk = b.lerp(p, x, w("time_mix_lerp_k.weight"), "xk");
    const graph::Value xv = b.lerp(p, x, w("time_mix_lerp_v.weight"), "xv");
    const graph::Value xr = b.lerp(p, x, w("time_mix_lerp_r.weight"), "xr");
    const graph::Value r = b.linear(xr, w("time_mix_receptance.weight"), "r");
    const graph::Value k = b.linear(xk, w("time_mix_key.weight"), "k");
    const graph::Value v = b.linear(xv, w("time_mix_value.weight"), "v");
    graph::Value y =
        b.wkv5(r, k, v, w("time_mix_decay.weight"), w("time_mix_first.weight"), wkvParams(c, layer), "wkv");
    y = normHeads(b, c, weights, layer, y);
    if (c.hasGate) {
        const graph::Value xg = b.lerp(p, x, w("time_mix_lerp_g.weight"), "xg");
        const graph::Value g = b.linear(xg, w("time_mix_gate.weight"), "g");
        y = b.multiply(y, b.activation(g, backend::ActivationKind::Silu, "g_silu"), "wkv_gated");
    }
    return b.linear(y, w("time_mix_output.weight"), "time_mix");
}

backend::MemorySpec memory(const Rwkv5Config& c) {
    return rwkvMatrixMemory(c);
}

void build(graph::Builder& b, const Rwkv5Config& c, const Weights& w) {
    const auto channelMix = [&](uint32_t layer, graph::Value x) {
        return receptanceChannelMix(b, w, layer, b.tokenShift(x, channelShiftState(layer), "ffn_previous"),
                                    x);
    };
    buildRwkv(
        b, c, w, [&](uint32_t layer, graph::Value x) { return timeMix(b, c, w, layer, x); }, channelMix);
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeRwkv("rwkv5", sizes, metadata);
    metadata.set("rwkv5.time_mix_gate", true);
}

}  // namespace

extern const ModelFamily family{
    .arch = "rwkv5",
    .open = openRwkv<Rwkv5Config, read, tensors, memory, build>,
    .synthesize = synthesize,
};

}  // namespace ingle::models::rwkv5_family
