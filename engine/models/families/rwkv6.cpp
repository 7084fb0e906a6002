/// RWKV-6 ("Finch"): decay and token shift depend on the data.
/// Source: Peng et al., "Eagle and Finch: RWKV with Matrix-Valued States and Dynamic Recurrence" (2024),
/// section 4.2.
#include <array>

#include "engine/models/rwkv.h"

namespace ingle::models::rwkv6_family {
namespace {

using tensor::Shape;

/// The five mixed inputs, in the order in which files stack their weights.
constexpr std::array<std::string_view, 5> kMixed{"w", "k", "v", "r", "g"};

std::string lerpWeight(std::string_view input) {
    return fmt::format("time_mix_lerp_{}.weight", input);
}

struct Rwkv6Config : RwkvConfig {
    bool fusedMix = false;  ///< the five mixing shares lie in one tensor
    // Inner widths of low-rank projections.
    uint32_t mixRank = 0;  ///< data-dependent token shift
    uint32_t decayRank = 0;
};

Status read(const Keys& keys, Rwkv6Config& config) {
    INGLE_TRY(readRwkv(keys, config));
    INGLE_TRY(readRwkvHeads(keys, config));
    INGLE_TRY_ASSIGN(config.mixRank, readLowRank(keys, "time_mix_extra_dim"));
    INGLE_TRY_ASSIGN(config.decayRank, readLowRank(keys, "time_decay_extra_dim"));
    INGLE_TRY_ASSIGN(config.rescaleEvery, keys.u32Or("rescale_every_n_layers", 0));
    config.fusedMix = !keys.file().find(layerWeight(0, lerpWeight(kMixed[0])));
    return {};
}

std::vector<TensorSpec> layerTensors(const Rwkv6Config& c, uint32_t) {
    using enum backend::WeightUse;
    using enum Presence;
    const Shape vector = Shape::of(c.facts.dim);
    const Shape square = Shape::of(c.facts.dim, c.facts.dim);
    constexpr uint32_t kNumMixed = kMixed.size();
    std::vector<TensorSpec> specs{
        {"time_mix_ln.weight", vector, Vector},
        {"time_mix_ln.bias", vector, Vector},
        {"time_mix_lerp_x.weight", vector, Vector},
        {"time_mix_w1.weight", Shape::of(c.facts.dim, uint64_t{kNumMixed} * c.mixRank), Matrix, Required,
         kNumMixed},
        {"time_mix_w2.weight", Shape::of(c.mixRank, c.facts.dim, kNumMixed), Matrix, Required, kNumMixed},
        {"time_mix_decay.weight", vector, Vector},
        {"time_mix_decay_w1.weight", Shape::of(c.facts.dim, c.decayRank)},
        {"time_mix_decay_w2.weight", Shape::of(c.decayRank, c.facts.dim)},
        {"time_mix_first.weight", Shape::of(c.headSize, c.numHeads), Vector},
        {"time_mix_key.weight", square},
        {"time_mix_value.weight", square},
        {"time_mix_receptance.weight", square},
        {"time_mix_gate.weight", square},
        {"time_mix_output.weight", square},
        {"channel_mix_lerp_k.weight", vector, Vector},
        {"channel_mix_lerp_r.weight", vector, Vector},
        {"channel_mix_key.weight", Shape::of(c.facts.dim, c.ffnDim)},
        {"channel_mix_value.weight", Shape::of(c.ffnDim, c.facts.dim)},
        {"channel_mix_receptance.weight", square},
    };
    if (c.fusedMix) {
        specs.push_back(
            {lerpWeight("fused"), Shape::of(c.facts.dim, 1, 1, kNumMixed), Vector, Required, kNumMixed});
    } else {
        for (const std::string_view input : kMixed) specs.push_back({lerpWeight(input), vector, Vector});
    }
    return specs;
}

std::vector<TensorSpec> tensors(const Rwkv6Config& c) {
    return rwkvTensors(c, [&](uint32_t layer) { return layerTensors(c, layer); });
}

graph::Value timeMix(graph::Builder& b, const Rwkv6Config& c, const Weights& weights, uint32_t layer,
                     graph::Value x) {
    const auto name = [&](std::string_view suffix) { return layerWeight(layer, suffix); };
    const auto w = [&](std::string_view suffix) { return weights[name(suffix)]; };
    const graph::Value p = b.tokenShift(x, timeShiftState(layer), "attn_previous");

    // ddlerp: how far each input lies between this token and the previous one depends on both.
    const graph::Value xx = b.lerp(x, p, w("time_mix_lerp_x.weight"), "xx");
    std::array<graph::Value, kMixed.size()> mixed;
    for (uint32_t i = 0; i < kMixed.size(); ++i) {
        const auto trace = [&](std::string_view prefix) { return fmt::format("{}{}", prefix, kMixed[i]); };
        graph::Value d = b.linear(xx, weights.part(name("time_mix_w1.weight"), i), trace("mix_"));
        d = b.activation(d, backend::ActivationKind::Tanh, trace("mix_tanh_"));  // [numTokens, mixRank]
        d = b.linear(d, weights.part(name("time_mix_w2.weight"), i), trace("mix_shift_"));
        const tensor::Tensor* share =
            c.fusedMix ? weights.part(name(lerpWeight("fused")), i) : w(lerpWeight(kMixed[i]));
        mixed[i] = b.lerp(x, p, share, d, trace("x"));
    }
    const auto& [xw, xk, xv, xr, xg] = mixed;

    graph::Value decay = b.linear(xw, w("time_mix_decay_w1.weight"), "decay_in");
    decay = b.activation(decay, backend::ActivationKind::Tanh, "decay_tanh");  // [numTokens, decayRank]
    decay = b.linear(decay, w("time_mix_decay_w2.weight"), w("time_mix_decay.weight"), "decay_raw");
    decay = b.activation(decay, backend::ActivationKind::Decay, "decay");
    const graph::Value r = b.linear(xr, w("time_mix_receptance.weight"), "r");
    const graph::Value k = b.linear(xk, w("time_mix_key.weight"), "k");
    const graph::Value v = b.linear(xv, w("time_mix_value.weight"), "v");
    const graph::Value g = b.linear(xg, w("time_mix_gate.weight"), "g");
    graph::Value y = b.wkv6(r, k, v, decay, w("time_mix_first.weight"), wkvParams(c, layer), "wkv");
    y = normHeads(b, c, weights, layer, y);
    y = b.multiply(y, b.activation(g, backend::ActivationKind::Silu, "g_silu"), "wkv_gated");
    return b.linear(y, w("time_mix_output.weight"), "time_mix");
}

backend::MemorySpec memory(const Rwkv6Config& c) {
    return rwkvMatrixMemory(c);
}

void build(graph::Builder& b, const Rwkv6Config& c, const Weights& w) {
    const auto channelMix = [&](uint32_t layer, graph::Value x) {
        return receptanceChannelMix(b, w, layer, x,
                                    b.tokenShift(x, channelShiftState(layer), "ffn_previous"));
    };
    buildRwkv(
        b, c, w, [&](uint32_t layer, graph::Value x) { return timeMix(b, c, w, layer, x); }, channelMix);
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeRwkv("rwkv6", sizes, metadata);
    metadata.set("rwkv6.rescale_every_n_layers", int64_t{0});
    // The published models' ranks.
    const bool isLarge = sizes.dim >= 4096;
    metadata.set("rwkv6.time_mix_extra_dim", int64_t{isLarge ? 64 : 32});
    metadata.set("rwkv6.time_decay_extra_dim", int64_t{isLarge ? 128 : 64});
}

}  // namespace

extern const ModelFamily family{
    .arch = "rwkv6",
    .open = openRwkv<Rwkv6Config, read, tensors, memory, build>,
    .synthesize = synthesize,
};

}  // namespace ingle::models::rwkv6_family
