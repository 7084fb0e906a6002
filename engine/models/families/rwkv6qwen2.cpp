/// QRWKV 6: Qwen2's layer with RWKV-6's time mixing in place of attention, whose heads share keys and values,
/// without bonus and group norm. Sources: Peng et al., "Eagle and Finch: RWKV with Matrix-Valued States and
/// Dynamic Recurrence" (2024), section 4.2; the model's published configuration and code (Recursal AI, 2024).
#include <array>
#include <cmath>

#include "engine/models/limits.h"
#include "engine/models/rwkv.h"

namespace ingle::models::rwkv6qwen2_family {
namespace {

using tensor::Shape;
using enum backend::WeightUse;

/// The five mixed inputs, in the order in which files stack their weights.
constexpr std::array<std::string_view, 5> kMixed{"w", "k", "v", "r", "g"};
constexpr uint32_t kNumMixed = kMixed.size();

struct Qwen2RwkvConfig : RwkvConfig {
    uint32_t numKvHeads = 0;
    uint32_t mixRank = 0;
    uint32_t decayRank = 0;
};

Result<Qwen2RwkvConfig> read(const Keys& keys) {
    Qwen2RwkvConfig config;
    INGLE_TRY_ASSIGN(config.facts, readFacts(keys));
    INGLE_TRY_ASSIGN(config.ffnDim, keys.u32("feed_forward_length"));
    INGLE_TRY_ASSIGN(config.normEps, keys.f32("attention.layer_norm_rms_epsilon"));
    INGLE_TRY_ASSIGN(config.headSize, keys.u32("wkv.head_size"));
    if (config.headSize == 0 || config.facts.dim % config.headSize != 0)
        return keys.cannotBe("wkv.head_size", config.headSize);
    config.numHeads = config.facts.dim / config.headSize;
    INGLE_TRY_ASSIGN(config.mixRank, readLowRank(keys, "time_mix_extra_dim"));
    INGLE_TRY_ASSIGN(config.decayRank, readLowRank(keys, "time_decay_extra_dim"));
    INGLE_TRY_ASSIGN(const uint32_t kvHeads, keys.u32Or("attention.head_count_kv", 0));
    config.numKvHeads = kvHeads > 0 ? kvHeads : config.numHeads;  // 0: as many as all
    if (config.ffnDim == 0 || config.ffnDim > kMaxRowElems)
        return keys.cannotBe("feed_forward_length", config.ffnDim);
    if (config.facts.dim > kMaxRowElems / config.headSize)
        return keys.cannotBe("wkv.head_size", config.headSize);
    if (config.numHeads % config.numKvHeads != 0)
        return keys.cannotBe("attention.head_count_kv", config.numKvHeads);
    return config;
}

std::vector<TensorSpec> tensors(const Qwen2RwkvConfig& c) {
    const uint64_t dim = c.facts.dim, kv = uint64_t{c.numKvHeads} * c.headSize, ffn = c.ffnDim;
    const Shape vector = Shape::of(dim);
    std::vector<TensorSpec> specs{
        {"token_embd.weight", Shape::of(dim, c.facts.vocabSize)},
        {"output.weight", Shape::of(dim, c.facts.vocabSize), Matrix, Presence::Optional},
        {"output_norm.weight", vector, Vector},
        {.name = "no_bonus", .shape = vector, .use = Vector, .filledWith = 0},
        {.name = "whole_bonus", .shape = vector, .use = Vector, .filledWith = 1},
    };
    for (uint32_t layer = 0; layer < c.facts.numLayers; ++layer) {
        const auto add = [&](std::string_view name, const Shape& shape, backend::WeightUse use = Matrix,
                             Presence presence = Presence::Required, uint32_t numParts = 1) {
            specs.push_back({layerWeight(layer, name), shape, use, presence, numParts});
        };
        add("attn_norm.weight", vector, Vector);
        add("ffn_norm.weight", vector, Vector);
        add("time_mix_lerp_x.weight", vector, Vector);
        add("time_mix_lerp_fused.weight", Shape::of(dim, 1, 1, kNumMixed), Vector, Presence::Required,
            kNumMixed);
        add("time_mix_w1.weight", Shape::of(dim, uint64_t{kNumMixed} * c.mixRank), Matrix, Presence::Required,
            kNumMixed);
        add("time_mix_w2.weight", Shape::of(c.mixRank, dim, kNumMixed), Matrix, Presence::Required,
            kNumMixed);
        add("time_mix_decay.weight", vector, Vector);
        add("time_mix_decay_w1.weight", Shape::of(dim, c.decayRank));
        add("time_mix_decay_w2.weight", Shape::of(c.decayRank, dim));
        add("time_mix_key.weight", Shape::of(dim, kv));
        add("time_mix_value.weight", Shape::of(dim, kv));
        add("time_mix_receptance.weight", Shape::of(dim, dim));
        add("time_mix_key.bias", Shape::of(kv), Vector, Presence::Optional);
        add("time_mix_value.bias", Shape::of(kv), Vector, Presence::Optional);
        add("time_mix_receptance.bias", vector, Vector, Presence::Optional);
        add("time_mix_gate.weight", Shape::of(dim, dim));
        add("time_mix_output.weight", Shape::of(dim, dim));
        add("ffn_gate.weight", Shape::of(dim, ffn));
        add("ffn_up.weight", Shape::of(dim, ffn));
        add("ffn_down.weight", Shape::of(ffn, dim));
    }
    return specs;
}

/// A shift and the matrices of each layer.
backend::MemorySpec memory(const Qwen2RwkvConfig& c) {
    backend::MemorySpec spec;
    for (uint32_t layer = 0; layer < c.facts.numLayers; ++layer) {
        spec.states.push_back({layerWeight(layer, "shift"), c.facts.dim});
        spec.states.push_back({layerWeight(layer, "wkv"), c.facts.dim * c.headSize});
    }
    return spec;
}

graph::Value timeMix(graph::Builder& b, const Qwen2RwkvConfig& c, const Weights& weights, uint32_t layer,
                     graph::Value x) {
    const auto name = [&](std::string_view suffix) { return layerWeight(layer, suffix); };
    const auto w = [&](std::string_view suffix) { return weights[name(suffix)]; };
    const auto projected = [&](graph::Value from, std::string_view part, std::string_view trace) {
        return b.linear(from, w(fmt::format("time_mix_{}.weight", part)),
                        w(fmt::format("time_mix_{}.bias", part)), trace);
    };
    const graph::Value p = b.tokenShift(x, 2 * layer, "previous");
    const graph::Value xx = b.lerp(x, p, w("time_mix_lerp_x.weight"), "xx");
    std::array<graph::Value, kNumMixed> mixed;
    for (uint32_t i = 0; i < kNumMixed; ++i) {
        const auto trace = [&](std::string_view prefix) { return fmt::format("{}{}", prefix, kMixed[i]); };
        graph::Value d = b.linear(xx, weights.part(name("time_mix_w1.weight"), i), trace("mix_"));
        d = b.activation(d, backend::ActivationKind::Tanh, trace("mix_tanh_"));  // [numTokens, mixRank]
        d = b.linear(d, weights.part(name("time_mix_w2.weight"), i), trace("mix_shift_"));
        mixed[i] = b.lerp(x, p, weights.part(name("time_mix_lerp_fused.weight"), i), d, trace("x"));
    }
    const auto& [xw, xk, xv, xr, xg] = mixed;
    graph::Value decay = b.linear(xw, w("time_mix_decay_w1.weight"), "decay_in");
    decay = b.activation(decay, backend::ActivationKind::Tanh, "decay_tanh");  // [numTokens, decayRank]
    decay = b.linear(decay, w("time_mix_decay_w2.weight"), w("time_mix_decay.weight"), "decay_raw");
    decay = b.activation(decay, backend::ActivationKind::Decay, "decay");
    // Each head of keys and values serves several of receptances.
    const auto repeated = [&](graph::Value heads, std::string_view trace) {
        graph::Value all = heads;
        for (uint32_t i = 1; i < c.numHeads / c.numKvHeads; ++i)
            all = b.concat(all, heads, c.numKvHeads, fmt::format("{}_{}", trace, i));
        return all;
    };
    const graph::Value r = projected(xr, "receptance", "r");
    const graph::Value raw = repeated(projected(xk, "key", "k_raw"), "k_repeated");
    const graph::Value v = repeated(projected(xv, "value", "v"), "v_repeated");
    const graph::Value k = b.add(raw, b.scale(b.multiply(raw, decay, "k_kept"), -1, "k_less"), "k");
    // What is read has this token in it: what was there before, decayed, and this token's own part.
    const backend::WkvParams params{.state = 2 * layer + 1, .numHeads = c.numHeads, .headSize = c.headSize};
    const graph::Value before =
        b.wkv6(b.multiply(r, decay, "r_decayed"), k, v, decay, weights["no_bonus"], params, "wkv_before");
    graph::Value y = b.add(before, b.wkvBonus(r, k, v, weights["whole_bonus"], params, "wkv_own"), "wkv");
    y = b.scale(y, 1 / std::sqrt(static_cast<float>(c.headSize)), "wkv_scaled");
    const graph::Value g = projected(xg, "gate", "g");
    y = b.multiply(b.activation(g, backend::ActivationKind::Sigmoid, "g_sigmoid"), y, "wkv_gated");
    return b.linear(y, w("time_mix_output.weight"), "time_mix");
}

void build(graph::Builder& b, const Qwen2RwkvConfig& c, const Weights& weights) {
    graph::Value h = b.embed(weights["token_embd.weight"], "embed");  // [numTokens, dim]
    for (uint32_t layer = 0; layer < c.facts.numLayers; ++layer) {
        b.setScope(fmt::format("blk.{}", layer));
        const auto w = [&](std::string_view name) { return weights[layerWeight(layer, name)]; };
        const graph::Value n1 = b.rmsNorm(h, w("attn_norm.weight"), c.normEps, "attn_norm");
        h = b.add(h, timeMix(b, c, weights, layer, n1), "attn_residual");
        const graph::Value n2 = b.rmsNorm(h, w("ffn_norm.weight"), c.normEps, "ffn_norm");
        const graph::Value gate = b.activation(b.linear(n2, w("ffn_gate.weight"), "ffn_gate"),
                                               backend::ActivationKind::Silu, "ffn_activated");
        const graph::Value up = b.linear(n2, w("ffn_up.weight"), "ffn_up");
        h = b.add(h, b.linear(b.multiply(gate, up, "ffn_gated"), w("ffn_down.weight"), "ffn_down"),
                  "ffn_residual");
        b.endLayer(h);
    }
    b.setScope("");
    h = b.rmsNorm(h, weights["output_norm.weight"], c.normEps, "output_norm");
    b.logits(b.linear(h, weights[c.facts.tiedOutput ? "token_embd.weight" : "output.weight"], "logits"));
}

Result<std::shared_ptr<const ModelDefinition>> open(const Keys& keys) {
    INGLE_TRY_ASSIGN(Qwen2RwkvConfig config, read(keys));
    return std::make_shared<const Definition<Qwen2RwkvConfig, tensors, memory, build>>(std::move(config));
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("rwkv6qwen2.{}", key), std::move(value));
    };
    set("block_count", int64_t{sizes.numLayers});
    set("context_length", int64_t{sizes.context});
    set("embedding_length", int64_t{sizes.dim});
    set("feed_forward_length", int64_t{sizes.ffnDim});
    set("vocab_size", int64_t{sizes.vocabSize});
    set("attention.layer_norm_rms_epsilon", 1e-6);
    set("attention.head_count_kv", int64_t{sizes.numKvHeads});
    set("wkv.head_size", int64_t{sizes.dim / sizes.numHeads});
    set("time_mix_extra_dim", int64_t{32});
    set("time_decay_extra_dim", int64_t{64});
}

}  // namespace

extern const ModelFamily family{.arch = "rwkv6qwen2", .open = open, .synthesize = synthesize};

}  // namespace ingle::models::rwkv6qwen2_family
