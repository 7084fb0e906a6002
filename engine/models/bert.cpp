#include "engine/models/bert.h"

#include "engine/models/layer_parts.h"

namespace ingle::models {
namespace {

using tensor::Shape;
using enum backend::WeightUse;

constexpr std::string_view kTypes = "token_types.weight";
constexpr std::string_view kSecondNorm = "attn_norm_2";

std::vector<TensorSpec> bertTensors(const BertSpec& spec) {
    const uint32_t dim = spec.facts.dim;
    std::vector<TensorSpec> specs{{"token_embd.weight", Shape::of(dim, spec.facts.vocabSize)}};
    if (spec.learnsPositions)
        specs.push_back({"position_embd.weight", Shape::of(dim, spec.facts.trainedContext)});
    if (spec.numTypes > 0)
        specs.push_back({.name = std::string(kTypes),
                         .shape = Shape::of(dim),
                         .sources = {{std::string(kTypes), Shape::of(dim, spec.numTypes)}}});
    listNorm(specs, "token_embd_norm", NormKind::Layer, dim);
    listPooledSteps(spec.facts, specs);
    for (uint32_t i = 0; i < spec.layers.size(); ++i) {
        LayerTensors layer(specs, i, dim);
        listTensors(std::get<AttentionSpec>(spec.layers[i].mixer), layer);
        layer.norm("attn_output_norm", NormKind::Layer);
        if (spec.hasSecondNorm) layer.norm(kSecondNorm, NormKind::Layer);
        std::visit([&](const auto& ffn) { listTensors(ffn, layer); }, spec.layers[i].ffn);
        layer.norm("layer_output_norm", NormKind::Layer);
    }
    return specs;
}

backend::MemorySpec bertMemory(const BertSpec& spec) {
    return decoderMemory(spec);
}

void buildBert(graph::Builder& b, const BertSpec& spec, const Weights& w) {
    const auto normed = [&](graph::Value x, const std::string& name, std::string_view trace) {
        return norm(b, w, NormKind::Layer, spec.normEps, x, name, trace);
    };
    graph::Value h = b.embed(w["token_embd.weight"], "embed");  // [numTokens, dim]
    if (spec.numTypes > 0) h = b.add(h, b.embedPosition(w[kTypes], "type"), "embed_type");
    if (spec.learnsPositions)
        h = b.add(h, b.embedPosition(w["position_embd.weight"], "position"), "embed_position");
    h = normed(h, "token_embd_norm", "embed_norm");
    for (uint32_t i = 0; i < spec.layers.size(); ++i) {
        b.setScope(fmt::format("blk.{}", i));
        const LayerBuilder layer{.b = b, .weights = w, .layer = i, .normEps = spec.normEps, .cacheLayer = i};
        const graph::Value mixed = mix(std::get<AttentionSpec>(spec.layers[i].mixer), layer, h);
        graph::Value n =
            normed(b.add(h, mixed, "attn_residual"), layerWeight(i, "attn_output_norm"), "attn_norm");
        if (spec.hasSecondNorm)
            n = normed(b.add(h, n, "attn_residual_2"), layerWeight(i, kSecondNorm), kSecondNorm);
        const graph::Value fed =
            std::visit([&](const auto& ffn) { return feedForward(ffn, layer, n); }, spec.layers[i].ffn);
        h = normed(b.add(n, fed, "ffn_residual"), layerWeight(i, "layer_output_norm"), "ffn_norm");
        b.endLayer(h);
    }
    b.setScope("");
    b.rows(h);
}

}  // namespace

Result<BertSpec> readBert(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec decoder, readDecoder(keys, {.norm = NormKind::Layer}));
    BertSpec spec{std::move(decoder)};
    if (keys.file().find(kTypes)) {
        INGLE_TRY_ASSIGN(spec.numTypes, keys.file().metadata.u32Or("tokenizer.ggml.token_type_count", 1));
    }
    spec.hasSecondNorm = keys.file().find(layerWeight(0, fmt::format("{}.weight", kSecondNorm))) != nullptr;
    INGLE_TRY(readPooling(keys, {}, spec.normEps, spec.facts));
    INGLE_TRY_ASSIGN(const backend::ActivationKind activation, readActivation(keys));
    for (LayerSpec& layer : spec.layers) {
        attentionOf(layer).mask = backend::Mask::Full;
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = activation;
    }
    return spec;
}

std::shared_ptr<const ModelDefinition> bertDefinition(BertSpec spec) {
    return std::make_shared<const Definition<BertSpec, bertTensors, bertMemory, buildBert>>(std::move(spec));
}

void synthesizeBert(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder(arch, sizes, metadata, NormKind::Layer);
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("{}.{}", arch, key), std::move(value));
    };
    set("attention.head_count_kv", int64_t{sizes.numHeads});
    set("pooling_type", int64_t{static_cast<uint32_t>(Pooling::Mean)});
    set("hidden_activation", std::string("gelu"));
    metadata.set("tokenizer.ggml.token_type_count", int64_t{2});
}

}  // namespace ingle::models
