#include "engine/models/rwkv.h"

namespace ingle::models {
namespace {

using tensor::Shape;

constexpr uint32_t kMaxDim = 1u << 16;  // a layer's state has dim * headSize elements in 32 bits
constexpr uint32_t kMaxFfnDim = 1u << 20;
constexpr uint32_t kShiftsPerLayer = 2;

}  // namespace

Status readRwkv(const Keys& keys, RwkvConfig& config) {
    INGLE_TRY_ASSIGN(config.facts, readFacts(keys));
    INGLE_TRY_ASSIGN(config.ffnDim, keys.u32("feed_forward_length"));
    INGLE_TRY_ASSIGN(config.normEps, keys.f32("attention.layer_norm_epsilon"));
    if (config.facts.dim > kMaxDim) return keys.cannotBe("embedding_length", config.facts.dim);
    if (config.ffnDim == 0 || config.ffnDim > kMaxFfnDim)
        return keys.cannotBe("feed_forward_length", config.ffnDim);
    return {};
}

Status readRwkvHeads(const Keys& keys, RwkvConfig& config) {
    INGLE_TRY_ASSIGN(config.headSize, keys.u32("wkv.head_size"));
    // 64e-5: training divides by 8 before a group norm with epsilon 1e-5.
    INGLE_TRY_ASSIGN(config.groupNormEps, keys.f32Or("group_norm_epsilon", 64e-5f));
    if (config.headSize == 0 || config.facts.dim % config.headSize != 0) {
        return fail(ErrorCode::Corrupt, "{}: {} channels cannot be split into heads of {}", keys.file().path,
                    config.facts.dim, config.headSize);
    }
    config.numHeads = config.facts.dim / config.headSize;
    return {};
}

Result<uint32_t> readLowRank(const Keys& keys, std::string_view key) {
    INGLE_TRY_ASSIGN(const uint32_t rank, keys.u32(key));
    if (rank == 0 || rank > kMaxDim) return keys.cannotBe(key, rank);
    return rank;
}

void synthesizeRwkv(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata) {
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("{}.{}", arch, key), std::move(value));
    };
    set("block_count", int64_t{sizes.numLayers});
    set("context_length", int64_t{sizes.context});
    set("embedding_length", int64_t{sizes.dim});
    set("feed_forward_length", int64_t{sizes.ffnDim});
    set("vocab_size", int64_t{sizes.vocabSize});
    set("attention.head_count", int64_t{0});
    set("attention.layer_norm_epsilon", 1e-5);
    set("group_norm_epsilon", 64e-5);
    set("wkv.head_size", int64_t{sizes.dim / sizes.numHeads});
}

std::vector<TensorSpec> rwkvTensors(const RwkvConfig& c,
                                    const std::function<std::vector<TensorSpec>(uint32_t)>& layerTensors) {
    using enum backend::WeightUse;
    const Shape vector = Shape::of(c.facts.dim);
    std::vector<TensorSpec> specs{
        {"token_embd.weight", Shape::of(c.facts.dim, c.facts.vocabSize)},
        {"output.weight", Shape::of(c.facts.dim, c.facts.vocabSize)},
        {"token_embd_norm.weight", vector, Vector},
        {"token_embd_norm.bias", vector, Vector},
        {"output_norm.weight", vector, Vector},
        {"output_norm.bias", vector, Vector},
    };
    for (uint32_t layer = 0; layer < c.facts.numLayers; ++layer) {
        for (const std::string_view norm : {"attn_norm", "attn_norm_2"}) {
            specs.push_back({layerWeight(layer, fmt::format("{}.weight", norm)), vector, Vector});
            specs.push_back({layerWeight(layer, fmt::format("{}.bias", norm)), vector, Vector});
        }
        for (TensorSpec& spec : layerTensors(layer)) {
            spec.name = layerWeight(layer, spec.name);
            specs.push_back(std::move(spec));
        }
    }
    return specs;
}

uint32_t timeShiftState(uint32_t layer) {
    return layer * kShiftsPerLayer;
}

uint32_t channelShiftState(uint32_t layer) {
    return layer * kShiftsPerLayer + 1;
}

backend::MemorySpec rwkvShiftMemory(const RwkvConfig& c) {
    backend::MemorySpec spec;
    for (uint32_t layer = 0; layer < c.facts.numLayers; ++layer) {
        spec.states.push_back({layerWeight(layer, "attn_shift"), c.facts.dim});
        spec.states.push_back({layerWeight(layer, "ffn_shift"), c.facts.dim});
    }
    return spec;
}

backend::MemorySpec rwkvMatrixMemory(const RwkvConfig& c) {
    backend::MemorySpec spec = rwkvShiftMemory(c);
    for (uint32_t layer = 0; layer < c.facts.numLayers; ++layer) {
        spec.states.push_back({layerWeight(layer, "wkv"), c.facts.dim * c.headSize});
    }
    return spec;
}

backend::WkvParams wkvParams(const RwkvConfig& c, uint32_t layer) {
    return {
        .state = c.facts.numLayers * kShiftsPerLayer + layer, .numHeads = c.numHeads, .headSize = c.headSize};
}

void buildRwkv(graph::Builder& b, const RwkvConfig& c, const Weights& w, const LayerHalf& timeMix,
               const LayerHalf& channelMix) {
    graph::Value h = b.embed(w["token_embd.weight"], "embed");  // [numTokens, dim]
    h = b.layerNorm(h, w["token_embd_norm.weight"], w["token_embd_norm.bias"], c.normEps, "embed_norm");
    for (uint32_t layer = 0; layer < c.facts.numLayers; ++layer) {
        b.setScope(fmt::format("blk.{}", layer));
        const auto norm = [&](graph::Value x, std::string_view name) {
            return b.layerNorm(x, w[layerWeight(layer, fmt::format("{}.weight", name))],
                               w[layerWeight(layer, fmt::format("{}.bias", name))], c.normEps, name);
        };
        h = b.add(h, timeMix(layer, norm(h, "attn_norm")), "attn_residual");
        h = b.add(h, channelMix(layer, norm(h, "attn_norm_2")), "ffn_residual");
        // Files made for f16 arithmetic keep h small: their weights expect a halved h from here on.
        if (c.rescaleEvery > 0 && (layer + 1) % c.rescaleEvery == 0) h = b.scale(h, 0.5f, "rescaled");
        b.endLayer(h);
    }
    b.setScope("");
    h = b.layerNorm(h, w["output_norm.weight"], w["output_norm.bias"], c.normEps, "output_norm");
    b.logits(b.linear(h, w["output.weight"], "logits"));
}

graph::Value receptanceChannelMix(graph::Builder& b, const Weights& weights, uint32_t layer,
                                  graph::Value from, graph::Value to) {
    const auto w = [&](std::string_view name) { return weights[layerWeight(layer, name)]; };
    const graph::Value xk = b.lerp(from, to, w("channel_mix_lerp_k.weight"), "ffn_xk");
    const graph::Value xr = b.lerp(from, to, w("channel_mix_lerp_r.weight"), "ffn_xr");
    graph::Value k = b.linear(xk, w("channel_mix_key.weight"), "ffn_k");  // [numTokens, ffnDim]
    k = b.activation(k, backend::ActivationKind::SquaredRelu, "ffn_relu2");
    const graph::Value v = b.linear(k, w("channel_mix_value.weight"), "ffn_v");
    const graph::Value r = b.linear(xr, w("channel_mix_receptance.weight"), "ffn_r");
    return b.multiply(b.activation(r, backend::ActivationKind::Sigmoid, "ffn_sigmoid"), v, "channel_mix");
}

graph::Value normHeads(graph::Builder& b, const RwkvConfig& c, const Weights& weights, uint32_t layer,
                       graph::Value y) {
    return b.groupNorm(y, weights[layerWeight(layer, "time_mix_ln.weight")],
                       weights[layerWeight(layer, "time_mix_ln.bias")], c.numHeads, c.groupNormEps,
                       "wkv_norm");
}

}  // namespace ingle::models
