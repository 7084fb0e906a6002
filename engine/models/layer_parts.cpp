#include "engine/models/layer_parts.h"

namespace ingle::models {

using tensor::Shape;
using enum backend::WeightUse;

void LayerTensors::vector(std::string_view name, const Shape& shape, Presence presence) {
    m_specs.push_back({layerWeight(m_layer, name), shape, Vector, presence});
}

void LayerTensors::matrix(std::string_view name, const Shape& shape, Precision precision) {
    m_specs.push_back({layerWeight(m_layer, name), shape, Matrix, Presence::Required, precision});
}

void LayerTensors::norm(std::string_view name, NormKind kind) {
    vector(fmt::format("{}.weight", name), Shape::of(m_dim));
    if (kind == NormKind::Layer) vector(fmt::format("{}.bias", name), Shape::of(m_dim));
}

void LayerTensors::linear(std::string_view name, uint64_t in, uint64_t out, Presence bias, BiasOrder order,
                          const RowsOf* rows) {
    // Where the weight, its bias and its factor lie, under their own names or among the rows of another.
    const auto add = [&](std::string_view suffix, const Shape& shape, const Shape& whole, uint64_t firstRow,
                         backend::WeightUse use, Presence presence) -> TensorSpec& {
        const std::string own = layerWeight(m_layer, fmt::format("{}{}", name, suffix));
        TensorSpec spec{own, shape, use, presence};
        if (rows) {
            spec.sources = {{own, shape}};
            const auto at = rows->usually ? spec.sources.begin() : spec.sources.end();
            spec.sources.insert(
                at, {layerWeight(m_layer, fmt::format("{}{}", rows->name, suffix)), whole, firstRow});
        }
        return m_specs.emplace_back(std::move(spec));
    };
    const uint64_t numRows = rows ? rows->numRows : out;
    const uint64_t firstRow = rows ? rows->firstRow : 0;
    add(".weight", Shape::of(in, out), Shape::of(in, numRows), firstRow, Matrix, Presence::Required);
    TensorSpec& added = add(".bias", Shape::of(out), Shape::of(numRows), firstRow, Vector, bias);
    if (order == BiasOrder::BehindFactor)
        added.dividedBy = layerWeight(m_layer, fmt::format("{}.scale", name));
    add(".scale", Shape::of(1), Shape::of(1), 0, Vector, Presence::Optional);
}

void LayerTensors::experts(std::string_view name, uint64_t in, uint64_t out, const ExpertsSpec& spec) {
    matrix(fmt::format("{}.weight", name), Shape::of(in, out, spec.numExperts));
    const std::string factor = fmt::format("{}.scale", name);
    vector(factor, Shape::of(spec.numExperts), Presence::Optional);
    if (!spec.hasBiases) return;
    vector(fmt::format("{}.bias", name), Shape::of(out, spec.numExperts));
    if (spec.hasFactors) m_specs.back().dividedBy = layerWeight(m_layer, factor);
}

graph::Value LayerBuilder::experts(graph::Value x, graph::Value routing, std::string_view name,
                                   std::string_view trace, Factors use) const {
    const auto part = [&](std::string_view suffix) { return w(fmt::format("{}{}", name, suffix)); };
    const tensor::Tensor* factors = part(".scale");
    if (!factors || use == Factors::LeftAlone)
        return b.expertLinear(x, routing, part(".weight"), part(".bias"), trace);
    const graph::Value product =
        b.expertLinear(x, routing, part(".weight"), part(".bias"), fmt::format("{}_product", trace));
    return b.expertScale(product, routing, factors, trace);
}

graph::Value LayerBuilder::linear(graph::Value x, std::string_view name, std::string_view trace,
                                  Factors factors) const {
    const auto part = [&](std::string_view suffix) {
        return layerWeight(layer, fmt::format("{}{}", name, suffix));
    };
    const tensor::Tensor* matrix = weights[part(".weight")];
    const tensor::Tensor* bias = weights[part(".bias")];
    if (!weights[part(".scale")] || factors == Factors::LeftAlone) return b.linear(x, matrix, bias, trace);
    return b.scale(b.linear(x, matrix, bias, fmt::format("{}_product", trace)),
                   weights.factor(part(".scale")), trace);
}

graph::Value norm(graph::Builder& b, const Weights& weights, NormKind kind, float eps, graph::Value x,
                  const std::string& name, std::string_view trace) {
    const tensor::Tensor* gain = weights[name + ".weight"];
    switch (kind) {
        case NormKind::Rms:
            return b.rmsNorm(x, gain, eps, trace);
        case NormKind::Layer:
            return b.layerNorm(x, gain, weights[name + ".bias"], eps, trace);
        case NormKind::LayerUnbiased:
            return b.groupNorm(x, gain, nullptr, 1, eps, trace);
    }
    return x;
}

}  // namespace ingle::models
