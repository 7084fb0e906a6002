#include "engine/models/decoder.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/models/layer_parts.h"

namespace ingle::models {

using tensor::Shape;

namespace {

constexpr std::string_view kOutputScale = "layer_output_scale.weight";
constexpr std::string_view kEmbeddingNorm = "token_embd_norm";

uint32_t ownEmbeddingOf(const DecoderSpec& spec) {
    return spec.layers.empty() ? 0 : spec.layers[0].ownEmbedding;
}

}  // namespace

void DecoderSpec::keepLayers(std::span<const uint32_t> kept) {
    std::vector<LayerSpec> few;
    for (const uint32_t layer : kept) {
        auto* attention = std::get_if<AttentionSpec>(&few.emplace_back(layers[layer]).mixer);
        if (!attention || !attention->cacheOf) continue;
        // Of one that is alike, where the layer itself goes.
        const LayerSpec& owner = layers[*attention->cacheOf];
        const auto found = std::ranges::find_if(kept, [&](uint32_t one) { return layers[one] == owner; });
        INGLE_CHECK(found != kept.end(), "layer {} loses the keys of layer {}", layer, *attention->cacheOf);
        attention->cacheOf = static_cast<uint32_t>(found - kept.begin());
    }
    layers = std::move(few);
    facts.numLayers = static_cast<uint32_t>(layers.size());
    handedOver.clear();  // nobody reads the hidden rows of some layers
}

graph::Value buildLayer(graph::Builder& b, const DecoderSpec& spec, const Weights& w, const LayerSpec& layer,
                        const LayerPlace& place, graph::Value h, graph::Value ownEmbeddings) {
    b.setScope(fmt::format("blk.{}", place.layer));
    LayerBuilder parts{.b = b,
                       .weights = w,
                       .layer = place.layer,
                       .normEps = spec.normEps,
                       .cacheLayer = place.cacheLayer,
                       .firstState = place.firstState,
                       .input = h};
    const auto normed = [&](graph::Value x, std::string_view name, float eps) {
        return name.empty() ? x : norm(b, w, spec.norm, eps, x, layerWeight(place.layer, name), name);
    };
    const auto added = [&](graph::Value x, std::string_view after, std::string_view half,
                           graph::Value before) {
        x = normed(x, after, spec.branchEps != 0 ? spec.branchEps : spec.normEps);
        if (layer.residualScale != 1) x = b.scale(x, layer.residualScale, fmt::format("{}_scaled", half));
        if (layer.normedResidual != 0)
            h = b.scale(before, layer.normedResidual, fmt::format("{}_normed", half));
        return b.add(h, x, fmt::format("{}_residual", half));
    };
    const graph::Value n1 = normed(h, layer.norms.beforeMixer, spec.normEps);
    if (!std::holds_alternative<Nothing>(layer.mixer)) {
        const graph::Value mixed =
            std::visit([&](const auto& mixer) { return mix(mixer, parts, n1); }, layer.mixer);
        h = added(mixed, layer.norms.afterMixer, "attn", n1);
    }
    if (!std::holds_alternative<Nothing>(layer.ffn)) {
        parts.residual = layer.norms.ffnReadsLayersInput ? parts.input : h;
        const bool isParallel = layer.norms.beforeFfn.empty() && !layer.norms.beforeMixer.empty();
        const graph::Value n2 = isParallel ? n1 : normed(parts.residual, layer.norms.beforeFfn, spec.normEps);
        const graph::Value fed =
            std::visit([&](const auto& ffn) { return feedForward(ffn, parts, n2); }, layer.ffn);
        h = added(fed, layer.norms.afterFfn, "ffn", n2);
    }
    if (layer.ownEmbedding) h = withOwnEmbedding(parts, layer.ownEmbedding, ownEmbeddings, h);
    if (layer.hasOutputScale) h = b.scale(h, w.factor(layerWeight(place.layer, kOutputScale)), "scaled");
    b.setScope("");
    return h;
}

void listLayer(const DecoderSpec& spec, const LayerSpec& layer, uint32_t number,
               std::vector<TensorSpec>& specs) {
    LayerTensors tensors(specs, number, spec.facts.dim);
    const NormPlaces& norms = layer.norms;
    for (const std::string_view name :
         {norms.beforeMixer, norms.afterMixer, norms.beforeFfn, norms.afterFfn}) {
        if (!name.empty()) tensors.norm(name, spec.norm);
    }
    std::visit([&](const auto& mixer) { listTensors(mixer, tensors); }, layer.mixer);
    std::visit([&](const auto& ffn) { listTensors(ffn, tensors); }, layer.ffn);
    if (layer.ownEmbedding) listOwnEmbedding(layer.ownEmbedding, tensors);
    if (layer.hasOutputScale) tensors.vector(kOutputScale, Shape::of(1), Presence::Optional);
}

void buildLogits(graph::Builder& b, const DecoderSpec& spec, const tensor::Tensor* table,
                 const tensor::Tensor* bias, graph::Value n) {
    const bool isPlain = spec.logitScale == 1 && spec.logitCap == 0;
    graph::Value logits = b.linear(n, table, bias, isPlain ? "logits" : "output");
    const float cap = spec.logitCap;
    if (cap == 0) {
        if (!isPlain) logits = b.scale(logits, spec.logitScale, "logits");
    } else {
        logits = b.scale(logits, spec.logitScale / cap, "logits_in_caps");
        logits = b.activation(logits, backend::ActivationKind::Tanh, "logits_tanh");
        logits = b.scale(logits, cap, "logits");
    }
    b.hidden(n);
    b.logits(logits);
}

std::vector<TensorSpec> decoderTensors(const DecoderSpec& spec) {
    using enum backend::WeightUse;
    const auto& [dim, vocabSize] = std::pair(spec.facts.dim, spec.facts.vocabSize);
    const std::string finalNorm(spec.finalNorm);
    std::vector<TensorSpec> specs{{"token_embd.weight", Shape::of(dim, vocabSize)}};
    if (!spec.facts.pooling)
        specs.push_back({"output.weight", Shape::of(dim, vocabSize), Matrix, Presence::Optional});
    if (!spec.facts.pooling && spec.hasOutputBias)
        specs.push_back({"output.bias", Shape::of(vocabSize), Vector, Presence::Optional});
    listPooledSteps(spec.facts, specs);
    listNorm(specs, finalNorm, spec.norm, dim);
    if (spec.embeddingNorm) listNorm(specs, std::string(kEmbeddingNorm), *spec.embeddingNorm, dim);
    if (spec.learnsPositions)
        specs.push_back({"position_embd.weight", Shape::of(dim, spec.facts.trainedContext)});
    if (const uint32_t width = ownEmbeddingOf(spec)) listOwnEmbeddings(spec, width, specs);
    for (uint32_t i = 0; i < spec.layers.size(); ++i) listLayer(spec, spec.layers[i], i, specs);
    return specs;
}

backend::MemorySpec decoderMemory(const DecoderSpec& spec) {
    backend::MemorySpec memory;
    for (const LayerSpec& layer : spec.layers)
        std::visit([&](const auto& mixer) { listMemory(mixer, memory); }, layer.mixer);
    return memory;
}

void buildDecoder(graph::Builder& b, const DecoderSpec& spec, const Weights& w) {
    backend::MemorySpec memory;                                 // of the layers before
    graph::Value h = b.embed(w["token_embd.weight"], "embed");  // [numTokens, dim]
    if (spec.embeddingScale != 1) h = b.scale(h, spec.embeddingScale, "embed_scaled");
    const uint32_t pictureWidth = spec.facts.pictureWidth;
    if (pictureWidth > 0) h = b.pictureRows(h, {.width = pictureWidth}, "embed_with_picture");
    if (spec.embeddingNorm)
        h = norm(b, w, *spec.embeddingNorm, spec.normEps, h, std::string(kEmbeddingNorm), "embed_norm");
    if (spec.learnsPositions)
        h = b.add(h, b.embedPosition(w["position_embd.weight"], "position"), "embed_with_position");
    const uint32_t ownWidth = ownEmbeddingOf(spec);
    const graph::Value own = ownWidth ? ownEmbeddings(b, spec, w, ownWidth, h) : graph::Value{};
    std::vector<uint32_t> caches;         // of the layers
    std::vector<graph::Value> residuals;  // that they read
    for (uint32_t i = 0; i < spec.layers.size(); ++i) {
        const LayerSpec& layer = spec.layers[i];
        const auto* attention = std::get_if<AttentionSpec>(&layer.mixer);
        const bool isShared = attention && attention->cacheOf;
        caches.push_back(isShared ? caches[*attention->cacheOf] : static_cast<uint32_t>(memory.kv.size()));
        const LayerPlace place{i, caches[i], static_cast<uint32_t>(memory.states.size())};
        residuals.push_back(h);
        h = buildLayer(b, spec, w, layer, place, h, own);
        if (pictureWidth > 0 && i < spec.numPictureLayers)
            h = b.pictureRows(h, {pictureWidth, (i + 1) * spec.facts.dim, true},
                              fmt::format("blk.{}.with_picture", i));
        b.endLayer(h);
        std::visit([&](const auto& mixer) { listMemory(mixer, memory); }, layer.mixer);
    }
    const std::string finalNorm(spec.finalNorm);
    const graph::Value n = norm(b, w, spec.norm, spec.normEps, h, finalNorm, finalNorm);
    if (spec.facts.pooling) return b.rows(n);
    const tensor::Tensor* table = spec.facts.tiedOutput ? w["token_embd.weight"] : w["output.weight"];
    buildLogits(b, spec, table, w["output.bias"], n);
    if (spec.handedOver.empty()) return;
    graph::Value side = residuals[spec.handedOver.front()];
    for (size_t i = 1; i < spec.handedOver.size(); ++i)
        side = b.concat(side, residuals[spec.handedOver[i]], 1, fmt::format("handed_over_{}", i));
    b.hidden(side);
}

}  // namespace ingle::models
