#include "engine/models/rwkv.h"

#include "engine/models/decoder.h"

namespace ingle::models {
namespace {

using tensor::Shape;

constexpr uint32_t kMaxDim = 1u << 16;  // a layer's state has dim * headSize elements in 32 bits
constexpr uint32_t kMaxFfnDim = 1u << 20;
constexpr uint32_t kShiftsPerLayer = 2;

}  // namespace

Result<ModelConfig> readRwkvConfig(const formats::ModelFile& file) {
    const formats::Metadata& meta = file.metadata;
    ModelConfig config;
    INGLE_TRY_ASSIGN(config.arch, meta.string("general.architecture"));
    const std::string& arch = config.arch;
    INGLE_TRY_ASSIGN(config.numLayers, meta.u32(arch + ".block_count"));
    INGLE_TRY_ASSIGN(config.dim, meta.u32(arch + ".embedding_length"));
    INGLE_TRY_ASSIGN(config.ffnDim, meta.u32(arch + ".feed_forward_length"));
    INGLE_TRY_ASSIGN(config.vocabSize,
                     meta.u32Or(arch + ".vocab_size", static_cast<uint32_t>(file.tokenizer.tokens.size())));
    INGLE_TRY_ASSIGN(config.normEps, meta.f32(arch + ".attention.layer_norm_epsilon"));
    if (config.dim == 0 || config.dim > kMaxDim || config.ffnDim == 0 || config.ffnDim > kMaxFfnDim ||
        config.vocabSize == 0 || config.vocabSize > INT32_MAX) {
        return fail(ErrorCode::Corrupt,
                    "{}: embedding_length {}, feed_forward_length {} or vocab_size {} cannot be", file.path,
                    config.dim, config.ffnDim, config.vocabSize);
    }
    return config;
}

Status readRwkvHeads(const formats::ModelFile& file, ModelConfig& config) {
    INGLE_TRY_ASSIGN(config.headSize, file.metadata.u32(config.arch + ".wkv.head_size"));
    // 64e-5: training divides by 8 before a group norm with epsilon 1e-5.
    INGLE_TRY_ASSIGN(config.groupNormEps, file.metadata.f32Or(config.arch + ".group_norm_epsilon", 64e-5f));
    if (config.headSize == 0 || config.dim % config.headSize != 0) {
        return fail(ErrorCode::Corrupt, "{}: {} channels cannot be split into heads of {}", file.path,
                    config.dim, config.headSize);
    }
    config.numHeads = config.dim / config.headSize;
    return {};
}

Result<uint32_t> readLowRank(const formats::ModelFile& file, std::string_view arch, std::string_view key) {
    INGLE_TRY_ASSIGN(const uint32_t rank, file.metadata.u32(fmt::format("{}.{}", arch, key)));
    if (rank == 0 || rank > kMaxDim)
        return fail(ErrorCode::Corrupt, "{}: {} cannot be {}", file.path, key, rank);
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

std::vector<TensorSpec> rwkvTensors(const ModelConfig& c,
                                    std::vector<TensorSpec> (*layerTensors)(const ModelConfig&, uint32_t)) {
    using enum backend::WeightUse;
    const Shape vector = Shape::of(c.dim);
    std::vector<TensorSpec> specs{
        {"token_embd.weight", Shape::of(c.dim, c.vocabSize)},
        {"output.weight", Shape::of(c.dim, c.vocabSize)},
        {"token_embd_norm.weight", vector, Vector},
        {"token_embd_norm.bias", vector, Vector},
        {"output_norm.weight", vector, Vector},
        {"output_norm.bias", vector, Vector},
    };
    for (uint32_t layer = 0; layer < c.numLayers; ++layer) {
        for (const std::string_view norm : {"attn_norm", "attn_norm_2"}) {
            specs.push_back({layerWeight(layer, fmt::format("{}.weight", norm)), vector, Vector});
            specs.push_back({layerWeight(layer, fmt::format("{}.bias", norm)), vector, Vector});
        }
        for (TensorSpec& spec : layerTensors(c, layer)) {
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

backend::MemorySpec rwkvShiftMemory(const ModelConfig& c) {
    backend::MemorySpec spec;
    for (uint32_t layer = 0; layer < c.numLayers; ++layer) {
        spec.states.push_back({layerWeight(layer, "attn_shift"), c.dim});
        spec.states.push_back({layerWeight(layer, "ffn_shift"), c.dim});
    }
    return spec;
}

backend::MemorySpec rwkvMatrixMemory(const ModelConfig& c) {
    backend::MemorySpec spec = rwkvShiftMemory(c);
    for (uint32_t layer = 0; layer < c.numLayers; ++layer) {
        spec.states.push_back({layerWeight(layer, "wkv"), c.dim * c.headSize});
    }
    return spec;
}

backend::WkvParams wkvParams(const ModelConfig& c, uint32_t layer) {
    return {.state = c.numLayers * kShiftsPerLayer + layer, .numHeads = c.numHeads, .headSize = c.headSize};
}

void buildRwkv(graph::Builder& b, const ModelConfig& c, const Weights& w, const LayerHalf& timeMix,
               const LayerHalf& channelMix) {
    graph::Value h = b.embed(w["token_embd.weight"], "embed");  // [numTokens, dim]
    h = b.layerNorm(h, w["token_embd_norm.weight"], w["token_embd_norm.bias"], c.normEps, "embed_norm");
    for (uint32_t layer = 0; layer < c.numLayers; ++layer) {
        b.setScope(fmt::format("blk.{}", layer));
        const auto norm = [&](graph::Value x, std::string_view name) {
            return b.layerNorm(x, w[layerWeight(layer, fmt::format("{}.weight", name))],
                               w[layerWeight(layer, fmt::format("{}.bias", name))], c.normEps, name);
        };
        h = b.add(h, timeMix(layer, norm(h, "attn_norm")), "attn_residual");
        h = b.add(h, channelMix(layer, norm(h, "attn_norm_2")), "ffn_residual");
        // Files made for f16 arithmetic keep h small: their weights expect a halved h from here on.
        if (c.rescaleEvery > 0 && (layer + 1) % c.rescaleEvery == 0) h = b.scale(h, 0.5f, "rescaled");
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

graph::Value normHeads(graph::Builder& b, const ModelConfig& c, const Weights& weights, uint32_t layer,
                       graph::Value y) {
    return b.groupNorm(y, weights[layerWeight(layer, "time_mix_ln.weight")],
                       weights[layerWeight(layer, "time_mix_ln.bias")], c.numHeads, c.groupNormEps,
                       "wkv_norm");
}

}  // namespace ingle::models
