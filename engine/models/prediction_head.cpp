#include "engine/models/prediction_head.h"

#include <algorithm>

#include "engine/models/layer_parts.h"

namespace ingle::models {
namespace {

using tensor::Shape;

std::string nameOf(const HeadSpec& spec, std::string_view part) {
    return layerWeight(spec.block, fmt::format("nextn.{}", part));
}

std::vector<TensorSpec> headTensors(const HeadSpec& spec) {
    using enum backend::WeightUse;
    const uint64_t dim = spec.facts.dim, vocabSize = spec.facts.vocabSize;
    const auto optionalTable = [&](std::string name) {
        return TensorSpec{std::move(name), Shape::of(dim, vocabSize), Matrix, Presence::Optional};
    };
    const std::string finalNorm(spec.decoder.finalNorm);
    std::vector<TensorSpec> specs{
        optionalTable("token_embd.weight"),
        optionalTable("output.weight"),
        {finalNorm + ".weight", Shape::of(dim), Vector},
        {nameOf(spec, "enorm.weight"), Shape::of(dim), Vector},
        {nameOf(spec, "hnorm.weight"), Shape::of(dim), Vector},
        {nameOf(spec, "eh_proj.weight"), Shape::of(2 * dim, dim)},
        {nameOf(spec, "shared_head_norm.weight"), Shape::of(dim), Vector, Presence::Optional},
        optionalTable(nameOf(spec, "embed_tokens.weight")),
        optionalTable(nameOf(spec, "shared_head_head.weight")),
    };
    listLayer(spec.decoder, spec.layer, spec.block, specs);
    return specs;
}

backend::MemorySpec headMemory(const HeadSpec& spec) {
    DecoderSpec alone = spec.decoder;
    alone.layers = {spec.layer};
    return decoderMemory(alone);
}

void buildHead(graph::Builder& b, const HeadSpec& spec, const Weights& w) {
    const auto firstOf = [&w](std::initializer_list<std::string> names) {
        const auto found = std::ranges::find_if(names, [&](const std::string& name) { return w[name]; });
        return found == names.end() ? nullptr : w[*found];
    };
    const float eps = spec.decoder.normEps;
    const graph::Value token =
        b.embed(firstOf({nameOf(spec, "embed_tokens.weight"), "token_embd.weight"}), "embed");
    const graph::Value hidden = b.inputRows(spec.facts.dim, "hidden");
    const graph::Value both =
        b.concat(b.rmsNorm(token, w[nameOf(spec, "enorm.weight")], eps, "enorm"),
                 b.rmsNorm(hidden, w[nameOf(spec, "hnorm.weight")], eps, "hnorm"), 1, "both");
    graph::Value h = b.linear(both, w[nameOf(spec, "eh_proj.weight")], nullptr, "eh_proj");
    h = buildLayer(b, spec.decoder, w, spec.layer, {.layer = spec.block}, h);
    const std::string finalNorm = std::string(spec.decoder.finalNorm) + ".weight";
    const graph::Value n =
        b.rmsNorm(h, firstOf({nameOf(spec, "shared_head_norm.weight"), finalNorm}), eps, "head_norm");
    const tensor::Tensor* table =
        firstOf({nameOf(spec, "shared_head_head.weight"), "output.weight", "token_embd.weight"});
    buildLogits(b, spec.decoder, table, nullptr, n);
}

bool canBeOfAHead(const LayerSpec& layer) {
    if (layer.ownEmbedding > 0 || std::holds_alternative<Nothing>(layer.ffn)) return false;
    if (std::holds_alternative<LatentAttentionSpec>(layer.mixer)) return true;
    return hasAttention(layer) && !std::get<AttentionSpec>(layer.mixer).cacheOf;
}

}  // namespace

std::shared_ptr<const ModelDefinition> headOf(const DecoderSpec& spec) {
    if (spec.facts.numPredicting == 0 || spec.norm != NormKind::Rms) return nullptr;
    const auto like = std::ranges::find_if(spec.layers.rbegin(), spec.layers.rend(), canBeOfAHead);
    if (like == spec.layers.rend()) return nullptr;
    HeadSpec head{.facts = spec.facts, .decoder = spec, .layer = *like, .block = spec.facts.numLayers};
    head.decoder.layers.clear();
    return std::make_shared<const Definition<HeadSpec, headTensors, headMemory, buildHead>>(std::move(head));
}

}  // namespace ingle::models
