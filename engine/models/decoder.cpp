#include "engine/models/decoder.h"

#include <cmath>

namespace ingle::models {
namespace {

using tensor::Shape;

/// Sizes that no real model comes near, so that products of two of them stay inside 32 bits.
constexpr uint32_t kMaxRowElems = 1u << 20;
constexpr uint32_t kMaxExperts = 1u << 10;

Status checkSizes(const formats::ModelFile& file, const ModelConfig& config) {
    const auto corrupt = [&](std::string_view what, uint64_t value) {
        return fail(ErrorCode::Corrupt, "{}: {} cannot be {}", file.path, what, value);
    };
    if (config.dim == 0 || config.dim > kMaxRowElems) return corrupt("embedding_length", config.dim);
    if (config.ffnDim == 0 || config.ffnDim > kMaxRowElems)
        return corrupt("feed_forward_length", config.ffnDim);
    if (config.vocabSize == 0 || config.vocabSize > INT32_MAX) return corrupt("vocab_size", config.vocabSize);
    if (config.numHeads == 0 || config.numHeads > kMaxRowElems)
        return corrupt("attention.head_count", config.numHeads);
    if (config.numKvHeads == 0 || config.numHeads % config.numKvHeads != 0) {
        return corrupt("attention.head_count_kv", config.numKvHeads);
    }
    if (config.headDim == 0 || uint64_t{config.headDim} * config.numHeads > kMaxRowElems) {
        return corrupt("attention.key_length", config.headDim);
    }
    if (config.ropeDims % 2 != 0 || config.ropeDims > config.headDim) {
        return corrupt("rope.dimension_count", config.ropeDims);
    }
    if (config.numExperts > kMaxExperts) return corrupt("expert_count", config.numExperts);
    if (config.numExpertsUsed > config.numExperts || (config.numExperts > 0 && config.numExpertsUsed == 0)) {
        return corrupt("expert_used_count", config.numExpertsUsed);
    }
    return {};
}

}  // namespace

Result<ModelConfig> readDecoderConfig(const formats::ModelFile& file) {
    const formats::Metadata& meta = file.metadata;
    ModelConfig config;
    INGLE_TRY_ASSIGN(config.arch, meta.string("general.architecture"));
    const std::string& arch = config.arch;
    INGLE_TRY_ASSIGN(config.numLayers, meta.u32(arch + ".block_count"));
    INGLE_TRY_ASSIGN(config.dim, meta.u32(arch + ".embedding_length"));
    INGLE_TRY_ASSIGN(config.ffnDim, meta.u32(arch + ".feed_forward_length"));
    INGLE_TRY_ASSIGN(config.trainedContext, meta.u32(arch + ".context_length"));
    INGLE_TRY_ASSIGN(config.vocabSize,
                     meta.u32Or(arch + ".vocab_size", static_cast<uint32_t>(file.tokenizer.tokens.size())));
    const std::string layerNormEps = arch + ".attention.layer_norm_epsilon";
    config.norm = meta.find(layerNormEps) ? NormKind::Layer : NormKind::Rms;
    INGLE_TRY_ASSIGN(
        config.normEps,
        meta.f32(config.norm == NormKind::Layer ? layerNormEps : arch + ".attention.layer_norm_rms_epsilon"));
    INGLE_TRY_ASSIGN(config.numHeads, meta.u32(arch + ".attention.head_count"));
    INGLE_TRY_ASSIGN(config.numKvHeads, meta.u32Or(arch + ".attention.head_count_kv", config.numHeads));
    const uint32_t evenShare = config.numHeads ? config.dim / config.numHeads : 0;
    INGLE_TRY_ASSIGN(config.headDim, meta.u32Or(arch + ".attention.key_length", evenShare));
    INGLE_TRY_ASSIGN(const uint32_t valueDim, meta.u32Or(arch + ".attention.value_length", config.headDim));
    INGLE_TRY_ASSIGN(config.ropeDims, meta.u32Or(arch + ".rope.dimension_count", config.headDim));
    INGLE_TRY_ASSIGN(config.numExperts, meta.u32Or(arch + ".expert_count", 0));
    INGLE_TRY_ASSIGN(config.numExpertsUsed, meta.u32Or(arch + ".expert_used_count", 0));
    if (valueDim != config.headDim) {
        return fail(ErrorCode::Unsupported,
                    "{}: keys of {} and values of {} elements per head are not supported", file.path,
                    config.headDim, valueDim);
    }
    INGLE_TRY(checkSizes(file, config));
    INGLE_TRY_ASSIGN(config.rope, readRopeFrequencies(file, arch, config.ropeDims, config.trainedContext));
    config.tiedOutput = !file.find("output.weight");
    return config;
}

void synthesizeDecoder(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata,
                       NormKind norm) {
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("{}.{}", arch, key), std::move(value));
    };
    set("block_count", int64_t{sizes.numLayers});
    set("embedding_length", int64_t{sizes.dim});
    set("feed_forward_length", int64_t{sizes.ffnDim});
    set("context_length", int64_t{sizes.context});
    set("vocab_size", int64_t{sizes.vocabSize});
    set(norm == NormKind::Rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon", 1e-5);
    set("attention.head_count", int64_t{sizes.numHeads});
    set("attention.head_count_kv", int64_t{sizes.numKvHeads});
    set("rope.dimension_count", int64_t{sizes.dim / sizes.numHeads});
    set("rope.freq_base", 10000.0);
    if (sizes.numExperts == 0) return;
    set("expert_count", int64_t{sizes.numExperts});
    set("expert_used_count", int64_t{sizes.numExpertsUsed});
}

std::string layerWeight(uint32_t layer, std::string_view name) {
    return fmt::format("blk.{}.{}", layer, name);
}

std::vector<TensorSpec> decoderTensors(const ModelConfig& c, Presence qkvBias) {
    using enum backend::WeightUse;
    const uint32_t qDim = c.numHeads * c.headDim;
    const uint32_t kvDim = c.numKvHeads * c.headDim;
    std::vector<TensorSpec> specs{
        {"token_embd.weight", Shape::of(c.dim, c.vocabSize)},
        {"output.weight", Shape::of(c.dim, c.vocabSize), Matrix, Presence::Optional},
    };
    const auto addNorm = [&](const std::string& name) {
        specs.push_back({name + ".weight", Shape::of(c.dim), Vector});
        if (c.norm == NormKind::Layer) specs.push_back({name + ".bias", Shape::of(c.dim), Vector});
    };
    addNorm("output_norm");
    for (uint32_t layer = 0; layer < c.numLayers; ++layer) {
        const auto add = [&](std::string_view name, Shape shape, backend::WeightUse use,
                             Presence presence = Presence::Required) {
            specs.push_back({layerWeight(layer, name), shape, use, presence});
        };
        addNorm(layerWeight(layer, "attn_norm"));
        if (!c.parallelResidual) addNorm(layerWeight(layer, "ffn_norm"));
        add("attn_q.weight", Shape::of(c.dim, qDim), Matrix);
        add("attn_k.weight", Shape::of(c.dim, kvDim), Matrix);
        add("attn_v.weight", Shape::of(c.dim, kvDim), Matrix);
        add("attn_q.bias", Shape::of(qDim), Vector, qkvBias);
        add("attn_k.bias", Shape::of(kvDim), Vector, qkvBias);
        add("attn_v.bias", Shape::of(kvDim), Vector, qkvBias);
        add("attn_output.weight", Shape::of(qDim, c.dim), Matrix);
        if (c.numExperts == 0) {
            add("ffn_gate.weight", Shape::of(c.dim, c.ffnDim), Matrix);
            add("ffn_up.weight", Shape::of(c.dim, c.ffnDim), Matrix);
            add("ffn_down.weight", Shape::of(c.ffnDim, c.dim), Matrix);
            continue;
        }
        specs.push_back({layerWeight(layer, "ffn_gate_inp.weight"), Shape::of(c.dim, c.numExperts), Matrix,
                         Presence::Required, Precision::Float});
        add("ffn_gate_exps.weight", Shape::of(c.dim, c.ffnDim, c.numExperts), Matrix);
        add("ffn_up_exps.weight", Shape::of(c.dim, c.ffnDim, c.numExperts), Matrix);
        add("ffn_down_exps.weight", Shape::of(c.ffnDim, c.dim, c.numExperts), Matrix);
    }
    return specs;
}

backend::MemorySpec decoderMemory(const ModelConfig& config) {
    const uint32_t kvDim = config.numKvHeads * config.headDim;
    return {.kv = std::vector<backend::KvLayerSpec>(config.numLayers, {kvDim, kvDim}), .states = {}};
}

graph::Value rotaryAttention(graph::Builder& b, const ModelConfig& c, const Weights& weights, uint32_t layer,
                             graph::Value x, backend::RopeStyle style) {
    const auto w = [&](std::string_view name) { return weights[layerWeight(layer, name)]; };
    const auto rope = [&](graph::Value heads, uint32_t numHeads, std::string_view name) {
        return b.rope(heads, {numHeads, c.headDim, c.rope.perPair, c.rope.magnitude, style}, name);
    };
    graph::Value q =
        b.linear(x, w("attn_q.weight"), w("attn_q.bias"), "q");  // [numTokens, numHeads * headDim]
    graph::Value k =
        b.linear(x, w("attn_k.weight"), w("attn_k.bias"), "k");  // [numTokens, numKvHeads * headDim]
    graph::Value v =
        b.linear(x, w("attn_v.weight"), w("attn_v.bias"), "v");  // [numTokens, numKvHeads * headDim]
    // Some models normalise each head before it is rotated: with one gain for all heads, or with a gain each.
    const auto normHeads = [&](graph::Value heads, std::string_view name, uint32_t numHeads) {
        const tensor::Tensor* gain = w(fmt::format("attn_{}.weight", name));
        if (!gain) return heads;
        if (c.norm == NormKind::Layer) return b.groupNorm(heads, gain, nullptr, numHeads, c.normEps, name);
        return b.rmsNorm(heads, gain, c.normEps, name, numHeads);
    };
    q = normHeads(q, "q_norm", c.numHeads);
    k = normHeads(k, "k_norm", c.numKvHeads);
    q = rope(q, c.numHeads, "q_rope");
    k = rope(k, c.numKvHeads, "k_rope");
    b.kvAppend(k, v, layer);
    const float scale = 1.0f / std::sqrt(static_cast<float>(c.headDim));
    const graph::Value attended =
        b.attention(q, {layer, c.numHeads, c.numKvHeads, c.headDim, c.headDim, scale}, "attention");
    return b.linear(attended, w("attn_output.weight"), "attn_output");
}

graph::Value swiGlu(graph::Builder& b, const Weights& weights, uint32_t layer, graph::Value x) {
    const auto w = [&](std::string_view name) { return weights[layerWeight(layer, name)]; };
    const graph::Value gate = b.linear(x, w("ffn_gate.weight"), "ffn_gate");  // [numTokens, ffnDim]
    const graph::Value up = b.linear(x, w("ffn_up.weight"), "ffn_up");        // [numTokens, ffnDim]
    const graph::Value silu = b.activation(gate, backend::ActivationKind::Silu, "ffn_silu");
    return b.linear(b.multiply(silu, up, "ffn_gated"), w("ffn_down.weight"), "ffn_down");
}

graph::Value mixtureOfExperts(graph::Builder& b, const ModelConfig& c, const Weights& weights, uint32_t layer,
                              graph::Value x) {
    const auto w = [&](std::string_view name) { return weights[layerWeight(layer, name)]; };
    const graph::Value scores =
        b.linear(x, w("ffn_gate_inp.weight"), "ffn_router");  // [numTokens, numExperts]
    const graph::Value p =
        b.routeExperts(scores, {.numUsed = c.numExpertsUsed, .renormalise = true}, "ffn_routing");
    // [numTokens, used * ffnDim]: the chosen experts' values side by side.
    const graph::Value gate = b.expertLinear(x, p, w("ffn_gate_exps.weight"), "ffn_gate");
    const graph::Value up = b.expertLinear(x, p, w("ffn_up_exps.weight"), "ffn_up");
    const graph::Value silu = b.activation(gate, backend::ActivationKind::Silu, "ffn_silu");
    const graph::Value gated = b.multiply(silu, up, "ffn_gated");
    return b.expertSum(b.expertLinear(gated, p, w("ffn_down_exps.weight"), "ffn_down"), p, "ffn_experts");
}

void buildPreNormDecoder(graph::Builder& b, const ModelConfig& c, const Weights& w,
                         backend::RopeStyle style) {
    const auto norm = [&](graph::Value x, const std::string& weight, std::string_view name) {
        const tensor::Tensor* gain = w[weight + ".weight"];
        if (c.norm == NormKind::Layer) return b.layerNorm(x, gain, w[weight + ".bias"], c.normEps, name);
        return b.rmsNorm(x, gain, c.normEps, name);
    };
    const auto ffn = [&](uint32_t layer, graph::Value x) {
        return c.numExperts ? mixtureOfExperts(b, c, w, layer, x) : swiGlu(b, w, layer, x);
    };
    graph::Value h = b.embed(w["token_embd.weight"], "embed");  // [numTokens, dim]
    for (uint32_t layer = 0; layer < c.numLayers; ++layer) {
        b.setScope(fmt::format("blk.{}", layer));
        const graph::Value n1 = norm(h, layerWeight(layer, "attn_norm"), "attn_norm");
        h = b.add(h, rotaryAttention(b, c, w, layer, n1, style), "attn_residual");
        const graph::Value n2 = c.parallelResidual ? n1 : norm(h, layerWeight(layer, "ffn_norm"), "ffn_norm");
        h = b.add(h, ffn(layer, n2), "ffn_residual");
    }
    b.setScope("");
    const graph::Value n = norm(h, "output_norm", "output_norm");
    b.logits(b.linear(n, c.tiedOutput ? w["token_embd.weight"] : w["output.weight"], "logits"));
}

}  // namespace ingle::models
