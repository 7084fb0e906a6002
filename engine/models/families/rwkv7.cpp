/// RWKV-7 ("Goose"): the state's decay is a diagonal plus a rank-one matrix, a step of learning in context.
/// Source: Peng et al., "RWKV-7 Goose with Expressive Dynamic State Evolution" (2025), section 4.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/models/rwkv.h"

namespace ingle::models::rwkv7_family {
namespace {

using tensor::Shape;

/// Shares of the previous token in the six mixed inputs, in the order in which files stack them.
constexpr uint32_t kNumMixed = 6;
constexpr float kLeastLength = 1e-12f;  // of a removal key before it is normalised

/// With the inner widths of low-rank projections.
struct Rwkv7Config : RwkvConfig {
    uint32_t decayRank = 0;
    uint32_t rateRank = 0;   ///< in-context learning rate
    uint32_t valueRank = 0;  ///< value residual
    uint32_t gateRank = 0;
};

Status read(const Keys& keys, Rwkv7Config& config) {
    INGLE_TRY(readRwkv(keys, config));
    INGLE_TRY(readRwkvHeads(keys, config));
    const auto rank = [&](std::string_view name) {
        return readLowRank(keys, fmt::format("attention.{}_lora_rank", name));
    };
    INGLE_TRY_ASSIGN(config.decayRank, rank("decay"));
    INGLE_TRY_ASSIGN(config.rateRank, rank("iclr"));
    INGLE_TRY_ASSIGN(config.valueRank, rank("value_residual_mix"));
    INGLE_TRY_ASSIGN(config.gateRank, rank("gate"));
    return {};
}

std::vector<TensorSpec> layerTensors(const Rwkv7Config& c, uint32_t layer) {
    using enum backend::WeightUse;
    using enum Presence;
    const Shape vector = Shape::of(c.facts.dim);
    const Shape square = Shape::of(c.facts.dim, c.facts.dim);
    std::vector<TensorSpec> specs{
        {"time_mix_ln.weight", vector, Vector},
        {"time_mix_ln.bias", vector, Vector},
        {"time_mix_lerp_fused.weight", Shape::of(c.facts.dim, 1, 1, kNumMixed), Vector, Required, kNumMixed},
        {"time_mix_k_k.weight", vector, Vector},
        {"time_mix_k_a.weight", vector, Vector},
        {"time_mix_r_k.weight", vector, Vector},
        {"time_mix_key.weight", square},
        {"time_mix_value.weight", square},
        {"time_mix_receptance.weight", square},
        {"time_mix_output.weight", square},
        {"channel_mix_lerp_k.weight", vector, Vector},
        {"channel_mix_key.weight", Shape::of(c.facts.dim, c.ffnDim)},
        {"channel_mix_value.weight", Shape::of(c.ffnDim, c.facts.dim)},
    };
    const auto addLowRank = [&](std::string_view letter, uint32_t rank, Presence presence) {
        specs.push_back(
            {fmt::format("time_mix_{}1.weight", letter), Shape::of(c.facts.dim, rank), Matrix, presence});
        specs.push_back(
            {fmt::format("time_mix_{}2.weight", letter), Shape::of(rank, c.facts.dim), Matrix, presence});
        if (letter != "g")
            specs.push_back({fmt::format("time_mix_{}0.weight", letter), vector, Vector, presence});
    };
    addLowRank("w", c.decayRank, Required);
    addLowRank("a", c.rateRank, Required);
    addLowRank("g", c.gateRank, Required);
    // The first layer's value is the one later layers mix with. GGUF files hold a copy of a0 to a2 there.
    if (layer == 0)
        addLowRank("v", c.rateRank, Optional);
    else
        addLowRank("v", c.valueRank, Required);
    return specs;
}

std::vector<TensorSpec> tensors(const Rwkv7Config& c) {
    return rwkvTensors(c, [&](uint32_t layer) { return layerTensors(c, layer); });
}

/// `firstValue`: v of layer 0, set there.
graph::Value timeMix(graph::Builder& b, const Rwkv7Config& c, const Weights& weights, uint32_t layer,
                     graph::Value x, std::optional<graph::Value>& firstValue) {
    using enum backend::ActivationKind;
    const auto w = [&](std::string_view name) { return weights[layerWeight(layer, name)]; };
    const graph::Value p = b.tokenShift(x, timeShiftState(layer), "attn_previous");
    const auto mixed = [&](uint32_t index, std::string_view name) {
        return b.lerp(x, p, weights.part(layerWeight(layer, "time_mix_lerp_fused.weight"), index), name);
    };
    const graph::Value xr = mixed(0, "xr");
    const graph::Value xw = mixed(1, "xw");
    const graph::Value xk = mixed(2, "xk");
    const graph::Value xv = mixed(3, "xv");
    const graph::Value xa = mixed(4, "xa");
    const graph::Value xg = mixed(5, "xg");

    const graph::Value r = b.linear(xr, w("time_mix_receptance.weight"), "r");
    graph::Value k = b.linear(xk, w("time_mix_key.weight"), "k");
    graph::Value v = b.linear(xv, w("time_mix_value.weight"), "v");

    graph::Value decay = b.activation(b.linear(xw, w("time_mix_w1.weight"), "decay_in"), Tanh, "decay_tanh");
    decay = b.linear(decay, w("time_mix_w2.weight"), w("time_mix_w0.weight"), "decay_raw");
    decay = b.activation(decay, BoundedDecay, "decay");

    graph::Value rate = b.linear(xa, w("time_mix_a1.weight"), "rate_in");
    rate = b.linear(rate, w("time_mix_a2.weight"), w("time_mix_a0.weight"), "rate_raw");
    rate = b.activation(rate, Sigmoid, "rate");

    if (firstValue) {
        graph::Value share = b.linear(xv, w("time_mix_v1.weight"), "value_in");
        share = b.linear(share, w("time_mix_v2.weight"), w("time_mix_v0.weight"), "value_raw");
        v = b.lerp(v, *firstValue, b.activation(share, Sigmoid, "value_share"), "v_mixed");
    } else {
        firstValue = v;
    }
    const graph::Value removed =
        b.l2Norm(k, w("time_mix_k_k.weight"), c.numHeads, kLeastLength, "removal_key");
    k = b.lerp(k, b.multiply(k, rate, "k_rate"), w("time_mix_k_a.weight"), "replacement_key");

    graph::Value y = b.wkv7(r, decay, k, v, removed, rate, wkvParams(c, layer), "wkv");
    y = normHeads(b, c, weights, layer, y);
    y = b.add(y, b.wkvBonus(r, k, v, w("time_mix_r_k.weight"), wkvParams(c, layer), "bonus"), "wkv_bonus");

    graph::Value g = b.activation(b.linear(xg, w("time_mix_g1.weight"), "g_in"), Sigmoid, "g_sigmoid");
    g = b.linear(g, w("time_mix_g2.weight"), "g");
    return b.linear(b.multiply(y, g, "wkv_gated"), w("time_mix_output.weight"), "time_mix");
}

graph::Value channelMix(graph::Builder& b, const Weights& weights, uint32_t layer, graph::Value x) {
    const auto w = [&](std::string_view name) { return weights[layerWeight(layer, name)]; };
    const graph::Value p = b.tokenShift(x, channelShiftState(layer), "ffn_previous");
    const graph::Value xk = b.lerp(x, p, w("channel_mix_lerp_k.weight"), "ffn_xk");
    graph::Value k = b.linear(xk, w("channel_mix_key.weight"), "ffn_k");  // [numTokens, ffnDim]
    k = b.activation(k, backend::ActivationKind::SquaredRelu, "ffn_relu2");
    return b.linear(k, w("channel_mix_value.weight"), "channel_mix");
}

backend::MemorySpec memory(const Rwkv7Config& c) {
    return rwkvMatrixMemory(c);
}

void build(graph::Builder& b, const Rwkv7Config& c, const Weights& w) {
    std::optional<graph::Value> firstValue;
    buildRwkv(
        b, c, w, [&](uint32_t layer, graph::Value x) { return timeMix(b, c, w, layer, x, firstValue); },
        [&](uint32_t layer, graph::Value x) { return channelMix(b, w, layer, x); });
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeRwkv("rwkv7", sizes, metadata);
    metadata.set("rwkv7.token_shift_count", int64_t{2});
    // The author's suggestion, in steps of 32.
    const auto setRank = [&](std::string_view name, double rank) {
        metadata.set(fmt::format("rwkv7.attention.{}_lora_rank", name),
                     std::max<int64_t>(32, std::llround(rank / 32) * 32));
    };
    const double root = std::sqrt(sizes.dim);
    setRank("decay", 1.8 * root);
    setRank("iclr", 1.8 * root);
    setRank("value_residual_mix", 1.3 * root);
    setRank("gate", 0.6 * std::pow(sizes.dim, 0.8));
}

}  // namespace

extern const ModelFamily family{
    .arch = "rwkv7",
    .open = openRwkv<Rwkv7Config, read, tensors, memory, build>,
    .synthesize = synthesize,
};

}  // namespace ingle::models::rwkv7_family
