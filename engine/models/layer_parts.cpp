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

void LayerTensors::norm(std::string_view name, NormKind kind, uint64_t dim) {
    listNorm(m_specs, layerWeight(m_layer, name), kind, dim);
}

void LayerTensors::convolution(std::string_view name, uint64_t kernel, uint64_t width) {
    const std::string weight = layerWeight(m_layer, fmt::format("{}.weight", name));
    const Shape shape = Shape::of(kernel, width);
    m_specs.push_back({.name = weight,
                       .shape = shape,
                       .use = Vector,
                       .sources = {{weight, shape}, {weight, Shape::of(kernel, 1, width)}}});
}

void LayerTensors::choiceBias(uint64_t numExperts) {
    const Shape shape = Shape::of(numExperts);
    const auto named = [&](std::string_view suffix) {
        return TensorSource{layerWeight(m_layer, fmt::format("exp_probs_b{}", suffix)), shape};
    };
    m_specs.push_back({.name = named(".bias").name,
                       .shape = shape,
                       .use = Vector,
                       .presence = Presence::Optional,
                       .sources = {named(".bias"), named("")}});
}

void LayerTensors::made(std::string_view name, const std::vector<float>& numbers) {
    m_specs.push_back(
        {.name = layerWeight(m_layer, name), .shape = Shape::of(numbers.size()), .numbers = numbers});
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
    if (bias != Presence::Unused) {
        TensorSpec& added =
            add(name, ".bias", {.shape = Shape::of(out), .use = Vector, .presence = bias}, rows);
        if (order == BiasOrder::BehindFactor)
            added.dividedBy = layerWeight(m_layer, fmt::format("{}{}", name, kFactor));
    }
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

void listNorm(std::vector<TensorSpec>& specs, const std::string& name, NormKind kind, uint64_t dim) {
    using enum NormKind;
    if (kind == RmsBare) return;
    // Some files of llama.cpp hold the bare name.
    specs.push_back({.name = name + ".weight",
                     .shape = Shape::of(dim),
                     .use = Vector,
                     .sources = {{name + ".weight", Shape::of(dim)}, {name, Shape::of(dim)}}});
    if (kind == LayerBare) specs.back().filledWith = 1;
    if (kind == Layer) specs.push_back({name + ".bias", Shape::of(dim), Vector});
    if (kind == RmsBiased) specs.push_back({name + ".bias", Shape::of(dim)});  // read as a table of one row
}

graph::Value norm(graph::Builder& b, const Weights& weights, NormKind kind, float eps, graph::Value x,
                  const std::string& name, std::string_view trace) {
    const tensor::Tensor* gain = weights[name + ".weight"];
    switch (kind) {
        case NormKind::Rms:
            return b.rmsNorm(x, gain, eps, trace);
        case NormKind::RmsBare:
            return b.rmsNorm(x, nullptr, eps, trace);
        case NormKind::RmsBiased:
            return b.add(b.rmsNorm(x, gain, eps, fmt::format("{}_unbiased", trace)),
                         b.embedPosition(weights[name + ".bias"], fmt::format("{}_bias", trace)), trace);
        case NormKind::Layer:
            return b.layerNorm(x, gain, weights[name + ".bias"], eps, trace);
        case NormKind::LayerUnbiased:
        case NormKind::LayerBare:
            return b.groupNorm(x, gain, nullptr, 1, eps, trace);
    }
    return x;
}

}  // namespace ingle::models
