#include "engine/models/layer_parts.h"

namespace ingle::models {

using tensor::Shape;
using enum backend::WeightUse;

namespace {

constexpr std::string_view kFactor = ".scale";

}  // namespace

void LayerTensors::vector(std::string_view name, const Shape& shape, Presence presence) {
    m_specs.push_back({layerWeight(m_layer, name), shape, Vector, presence});
}

void LayerTensors::matrix(std::string_view name, const Shape& shape) {
    m_specs.push_back({layerWeight(m_layer, name), shape});
}

void LayerTensors::norm(std::string_view name, NormKind kind) {
    vector(fmt::format("{}.weight", name), Shape::of(m_dim));
    if (kind == NormKind::Layer) vector(fmt::format("{}.bias", name), Shape::of(m_dim));
}

TensorSpec& LayerTensors::add(std::string_view name, std::string_view suffix, TensorSpec spec,
                              const RowsOf* rows) {
    spec.name = layerWeight(m_layer, fmt::format("{}{}", name, suffix));
    if (rows) {
        TensorSource among{layerWeight(m_layer, fmt::format("{}{}", rows->name, suffix)), spec.shape};
        if (suffix != kFactor) {  // that is one for all rows
            among.shape.dims[spec.use == Matrix ? 1 : 0] = rows->numRows;
            among.firstRow = rows->firstRow;
        }
        spec.sources = {{spec.name, spec.shape}};
        spec.sources.insert(rows->usually ? spec.sources.begin() : spec.sources.end(), std::move(among));
    }
    return m_specs.emplace_back(std::move(spec));
}

void LayerTensors::linear(std::string_view name, uint64_t in, uint64_t out, Presence bias, BiasOrder order,
                          const RowsOf* rows) {
    add(name, ".weight", {.shape = Shape::of(in, out)}, rows);
    TensorSpec& added = add(name, ".bias", {.shape = Shape::of(out), .use = Vector, .presence = bias}, rows);
    if (order == BiasOrder::BehindFactor)
        added.dividedBy = layerWeight(m_layer, fmt::format("{}{}", name, kFactor));
    add(name, kFactor, {.shape = Shape::of(1), .use = Vector, .presence = Presence::Optional}, rows);
}

void LayerTensors::experts(std::string_view name, uint64_t in, uint64_t out, const ExpertsSpec& spec,
                           const RowsOf* rows) {
    add(name, ".weight", {.shape = Shape::of(in, out, spec.numExperts)}, rows);
    add(name, kFactor, {.shape = Shape::of(spec.numExperts), .use = Vector, .presence = Presence::Optional},
        rows);
    if (!spec.hasBiases) return;
    TensorSpec& bias = add(name, ".bias", {.shape = Shape::of(out, spec.numExperts), .use = Vector}, rows);
    if (spec.hasFactors) bias.dividedBy = layerWeight(m_layer, fmt::format("{}{}", name, kFactor));
}

graph::Value LayerBuilder::experts(graph::Value x, graph::Value routing, std::string_view name,
                                   std::string_view trace, Factors use) const {
    const auto part = [&](std::string_view suffix) { return w(fmt::format("{}{}", name, suffix)); };
    const tensor::Tensor* factors = part(kFactor);
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
    if (!weights[part(kFactor)] || factors == Factors::LeftAlone) return b.linear(x, matrix, bias, trace);
    return b.scale(b.linear(x, matrix, bias, fmt::format("{}_product", trace)), weights.factor(part(kFactor)),
                   trace);
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
