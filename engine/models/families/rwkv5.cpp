/// RWKV 5.1 and 5.2 ("Eagle"), as rwkv.cpp writes them: decay is exp(-exp(raw)) and the bonus exp(raw)
/// already. Source: Peng et al., "Eagle and Finch: RWKV with Matrix-Valued States and Dynamic Recurrence"
/// (2024), section 4.
#include <cmath>

#include "engine/models/decoder.h"

namespace ingle::models {
namespace {

using tensor::Shape;
constexpr std::string_view kArch = "rwkv5";

/// States of a layer, in the order of memory().
enum LayerState : uint32_t { AttentionShift, Wkv, FfnShift, kStatesPerLayer };

uint32_t stateIndex(uint32_t layer, LayerState state) {
    return layer * kStatesPerLayer + state;
}

Result<ModelConfig> readConfig(const formats::ModelFile& file) {
    const formats::Metadata& meta = file.metadata;
    ModelConfig config;
    config.arch = kArch;
    INGLE_TRY_ASSIGN(config.numLayers, meta.u32("rwkv5.block_count"));
    INGLE_TRY_ASSIGN(config.dim, meta.u32("rwkv5.embedding_length"));
    INGLE_TRY_ASSIGN(config.ffnDim, meta.u32("rwkv5.feed_forward_length"));
    INGLE_TRY_ASSIGN(config.vocabSize, meta.u32("rwkv5.vocab_size"));
    INGLE_TRY_ASSIGN(config.headSize, meta.u32("rwkv5.wkv.head_size"));
    INGLE_TRY_ASSIGN(config.normEps, meta.f32("rwkv5.attention.layer_norm_epsilon"));
    // 64e-5: training divides by 8 before a group norm with epsilon 1e-5.
    INGLE_TRY_ASSIGN(config.groupNormEps, meta.f32Or("rwkv5.group_norm_epsilon", 64e-5f));
    constexpr uint32_t kMaxDim = 1u << 16;  // the state has dim * headSize elements in 32 bits
    if (config.dim == 0 || config.dim > kMaxDim || config.headSize == 0 ||
        config.dim % config.headSize != 0) {
        return fail(ErrorCode::Corrupt, "{}: {} channels cannot be split into heads of {}", file.path,
                    config.dim, config.headSize);
    }
    if (config.ffnDim == 0 || config.ffnDim > (1u << 20) || config.vocabSize == 0 ||
        config.vocabSize > INT32_MAX) {
        return fail(ErrorCode::Corrupt, "{}: feed_forward_length {} or vocab_size {} cannot be", file.path,
                    config.ffnDim, config.vocabSize);
    }
    config.numHeads = config.dim / config.headSize;
    // rwkv.cpp files tell 5.2 from 5.1 by a tensor; files of our own say so.
    const bool gateTensor = file.find("blk.0.time_mix_gate.weight") != nullptr;
    INGLE_TRY_ASSIGN(config.hasGate, meta.boolOr("rwkv5.time_mix_gate", gateTensor));
    return config;
}

/// 5.2 has one decay and bonus per key channel, 5.1 one per head.
Shape coefficientShape(const ModelConfig& c) {
    return Shape::of(1, c.hasGate ? c.headSize : 1, c.numHeads);
}

std::vector<TensorSpec> tensors(const ModelConfig& c) {
    using enum backend::WeightUse;
    const Shape vector = Shape::of(c.dim);
    const Shape square = Shape::of(c.dim, c.dim);
    std::vector<TensorSpec> specs{
        {"token_embd.weight", Shape::of(c.dim, c.vocabSize)},
        {"output.weight", Shape::of(c.dim, c.vocabSize)},
        {"token_embd_norm.weight", vector, Vector},
        {"token_embd_norm.bias", vector, Vector},
        {"output_norm.weight", vector, Vector},
        {"output_norm.bias", vector, Vector},
    };
    for (uint32_t layer = 0; layer < c.numLayers; ++layer) {
        const auto add = [&](std::string_view name, Shape shape, backend::WeightUse use) {
            specs.push_back({layerWeight(layer, name), shape, use});
        };
        for (const std::string_view norm : {"attn_norm", "attn_norm_2", "time_mix_ln"}) {
            add(fmt::format("{}.weight", norm), vector, Vector);
            add(fmt::format("{}.bias", norm), vector, Vector);
        }
        for (const std::string_view mix : {"time_mix_lerp_k", "time_mix_lerp_v", "time_mix_lerp_r",
                                           "channel_mix_lerp_k", "channel_mix_lerp_r"}) {
            add(fmt::format("{}.weight", mix), vector, Vector);
        }
        for (const std::string_view matrix : {"time_mix_key", "time_mix_value", "time_mix_receptance",
                                              "time_mix_output", "channel_mix_receptance"}) {
            add(fmt::format("{}.weight", matrix), square, Matrix);
        }
        if (c.hasGate) {
            add("time_mix_lerp_g.weight", vector, Vector);
            add("time_mix_gate.weight", square, Matrix);
        }
        add("time_mix_decay.weight", coefficientShape(c), Vector);
        add("time_mix_first.weight", coefficientShape(c), Vector);
        add("channel_mix_key.weight", Shape::of(c.dim, c.ffnDim), Matrix);
        add("channel_mix_value.weight", Shape::of(c.ffnDim, c.dim), Matrix);
    }
    return specs;
}

backend::MemorySpec memory(const ModelConfig& c) {
    backend::MemorySpec spec;
    for (uint32_t layer = 0; layer < c.numLayers; ++layer) {
        spec.states.push_back({layerWeight(layer, "attn_shift"), c.dim});
        spec.states.push_back({layerWeight(layer, "wkv"), c.dim * c.headSize});
        spec.states.push_back({layerWeight(layer, "ffn_shift"), c.dim});
    }
    return spec;
}

/// x: [numTokens, dim], the normed input; returns [numTokens, dim].
graph::Value timeMix(graph::Builder& b, const ModelConfig& c, const Weights& weights, uint32_t layer,
                     graph::Value x) {
    const auto w = [&](std::string_view name) { return weights[layerWeight(layer, name)]; };
    const graph::Value p = b.tokenShift(x, stateIndex(layer, AttentionShift), "attn_previous");
    const graph::Value xk = b.lerp(x, p, w("time_mix_lerp_k.weight"), "xk");
    const graph::Value xv = b.lerp(x, p, w("time_mix_lerp_v.weight"), "xv");
    const graph::Value xr = b.lerp(x, p, w("time_mix_lerp_r.weight"), "xr");
    const graph::Value r = b.linear(xr, w("time_mix_receptance.weight"), "r");
    const graph::Value k = b.linear(xk, w("time_mix_key.weight"), "k");
    const graph::Value v = b.linear(xv, w("time_mix_value.weight"), "v");
    graph::Value y =
        b.wkv5(r, k, v, w("time_mix_decay.weight"), w("time_mix_first.weight"),
               {.state = stateIndex(layer, Wkv), .numHeads = c.numHeads, .headSize = c.headSize}, "wkv");
    y = b.groupNorm(y, w("time_mix_ln.weight"), w("time_mix_ln.bias"), c.numHeads, c.groupNormEps,
                    "wkv_norm");
    if (c.hasGate) {
        const graph::Value xg = b.lerp(x, p, w("time_mix_lerp_g.weight"), "xg");
        const graph::Value g = b.linear(xg, w("time_mix_gate.weight"), "g");
        y = b.multiply(y, b.activation(g, backend::ActivationKind::Silu, "g_silu"), "wkv_gated");
    }
    return b.linear(y, w("time_mix_output.weight"), "time_mix");
}

graph::Value channelMix(graph::Builder& b, const Weights& weights, uint32_t layer, graph::Value x) {
    const auto w = [&](std::string_view name) { return weights[layerWeight(layer, name)]; };
    const graph::Value p = b.tokenShift(x, stateIndex(layer, FfnShift), "ffn_previous");
    const graph::Value xk = b.lerp(x, p, w("channel_mix_lerp_k.weight"), "ffn_xk");
    const graph::Value xr = b.lerp(x, p, w("channel_mix_lerp_r.weight"), "ffn_xr");
    graph::Value k = b.linear(xk, w("channel_mix_key.weight"), "ffn_k");  // [numTokens, ffnDim]
    k = b.activation(k, backend::ActivationKind::SquaredRelu, "ffn_relu2");
    const graph::Value v = b.linear(k, w("channel_mix_value.weight"), "ffn_v");
    const graph::Value r = b.linear(xr, w("channel_mix_receptance.weight"), "ffn_r");
    return b.multiply(b.activation(r, backend::ActivationKind::Sigmoid, "ffn_sigmoid"), v, "channel_mix");
}

void build(graph::Builder& b, const ModelConfig& c, const Weights& w) {
    graph::Value h = b.embed(w["token_embd.weight"], "embed");  // [numTokens, dim]
    h = b.layerNorm(h, w["token_embd_norm.weight"], w["token_embd_norm.bias"], c.normEps, "embed_norm");
    for (uint32_t layer = 0; layer < c.numLayers; ++layer) {
        b.setScope(fmt::format("blk.{}", layer));
        const auto norm = [&](graph::Value x, std::string_view name) {
            return b.layerNorm(x, w[layerWeight(layer, fmt::format("{}.weight", name))],
                               w[layerWeight(layer, fmt::format("{}.bias", name))], c.normEps, name);
        };
        h = b.add(h, timeMix(b, c, w, layer, norm(h, "attn_norm")), "attn_residual");
        h = b.add(h, channelMix(b, w, layer, norm(h, "attn_norm_2")), "ffn_residual");
    }
    b.setScope("");
    h = b.layerNorm(h, w["output_norm.weight"], w["output_norm.bias"], c.normEps, "output_norm");
    b.logits(b.linear(h, w["output.weight"], "logits"));
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    metadata.set("rwkv5.block_count", int64_t{sizes.numLayers});
    metadata.set("rwkv5.embedding_length", int64_t{sizes.dim});
    metadata.set("rwkv5.feed_forward_length", int64_t{sizes.ffnDim});
    metadata.set("rwkv5.vocab_size", int64_t{sizes.vocabSize});
    metadata.set("rwkv5.wkv.head_size", int64_t{sizes.dim / sizes.numHeads});
    metadata.set("rwkv5.attention.layer_norm_epsilon", 1e-5);
    metadata.set("rwkv5.group_norm_epsilon", 64e-5);
    metadata.set("rwkv5.time_mix_gate", true);
}

}  // namespace

extern const ModelFamily rwkv5_family;
const ModelFamily rwkv5_family{
    .arch = kArch,
    .prefix = Prefix::Causal,
    .readConfig = readConfig,
    .tensors = tensors,
    .memory = memory,
    .build = build,
    .synthesize = synthesize,
};

}  // namespace ingle::models
