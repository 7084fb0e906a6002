#include "engine/graph/builder.h"

namespace ingle::graph {

using backend::OpCode;
using backend::WeightUse;

uint32_t Builder::weight(Weight tensor, WeightUse use) {
    m_graph.weights.push_back({tensor, use});
    return static_cast<uint32_t>(m_graph.weights.size() - 1);
}

Value Builder::addNode(Node node, uint32_t width, std::string_view name) {
    const auto id = static_cast<ValueId>(m_graph.values.size());
    m_graph.values.push_back({width, backend::RowKind::Token,
                              m_scope.empty() ? std::string(name) : m_scope + "." + std::string(name)});
    node.outputs = {id};
    m_graph.nodes.push_back(std::move(node));
    return {id, width};
}

Value Builder::embed(Weight table, std::string_view name) {
    return addNode({.code = OpCode::Embed, .weights = {weight(table, WeightUse::Matrix)}},
                   static_cast<uint32_t>(table->shape.dims[0]), name);
}

Value Builder::rmsNorm(Value x, Weight gain, float eps, std::string_view name, uint32_t groups) {
    return addNode({.code = OpCode::RmsNorm,
                    .inputs = {x.id},
                    .weights = {weight(gain, WeightUse::Vector)},
                    .params = backend::NormParams{.eps = eps, .groups = groups}},
                   x.width, name);
}

Value Builder::layerNorm(Value x, Weight gain, Weight bias, float eps, std::string_view name) {
    return addNode({.code = OpCode::LayerNorm,
                    .inputs = {x.id},
                    .weights = {weight(gain, WeightUse::Vector), weight(bias, WeightUse::Vector)},
                    .params = backend::NormParams{.eps = eps}},
                   x.width, name);
}

Value Builder::groupNorm(Value x, Weight gain, Weight bias, uint32_t groups, float eps,
                         std::string_view name) {
    Node node{.code = OpCode::GroupNorm,
              .inputs = {x.id},
              .weights = {weight(gain, WeightUse::Vector)},
              .params = backend::NormParams{.eps = eps, .groups = groups}};
    if (bias) node.weights.push_back(weight(bias, WeightUse::Vector));
    return addNode(std::move(node), x.width, name);
}

Value Builder::l2Norm(Value x, Weight gain, uint32_t groups, float eps, std::string_view name) {
    return addNode({.code = OpCode::L2Norm,
                    .inputs = {x.id},
                    .weights = {weight(gain, WeightUse::Vector)},
                    .params = backend::NormParams{.eps = eps, .groups = groups}},
                   x.width, name);
}

Value Builder::linear(Value x, Weight matrix, Weight bias, std::string_view name) {
    Node node{.code = OpCode::Linear, .inputs = {x.id}, .weights = {weight(matrix, WeightUse::Matrix)}};
    backend::LinearPart part{.matrix = 0, .bias = -1};
    if (bias) {
        node.weights.push_back(weight(bias, WeightUse::Vector));
        part.bias = 1;
    }
    node.params = backend::LinearParams{{part}};
    return addNode(std::move(node), static_cast<uint32_t>(matrix->shape.dims[1]), name);
}

Value Builder::routeExperts(Value x, uint32_t numUsed, std::string_view name) {
    return addNode({.code = OpCode::RouteExperts, .inputs = {x.id}, .params = backend::RouteParams{numUsed}},
                   x.width, name);
}

Value Builder::expertLinear(Value x, Value routing, Weight experts, uint32_t numUsed, std::string_view name) {
    return addNode({.code = OpCode::ExpertLinear,
                    .inputs = {x.id, routing.id},
                    .weights = {weight(experts, WeightUse::Matrix)}},
                   static_cast<uint32_t>(experts->shape.dims[1]) * numUsed, name);
}

Value Builder::expertSum(Value x, Value routing, uint32_t numUsed, std::string_view name) {
    return addNode({.code = OpCode::ExpertSum, .inputs = {x.id, routing.id}}, x.width / numUsed, name);
}

Value Builder::rope(Value x, const backend::RopeParams& params, std::string_view name) {
    return addNode({.code = OpCode::Rope, .inputs = {x.id}, .params = params}, x.width, name);
}

void Builder::kvAppend(Value keys, Value values, uint32_t layer) {
    m_graph.nodes.push_back(
        {.code = OpCode::KvAppend, .inputs = {keys.id, values.id}, .params = backend::CacheParams{layer}});
}

Value Builder::attention(Value queries, const backend::AttentionParams& params, std::string_view name) {
    return addNode({.code = OpCode::Attention, .inputs = {queries.id}, .params = params}, queries.width,
                   name);
}

Value Builder::add(Value a, Value b, std::string_view name) {
    return addNode({.code = OpCode::Add, .inputs = {a.id, b.id}}, a.width, name);
}

Value Builder::multiply(Value a, Value b, std::string_view name) {
    return addNode({.code = OpCode::Multiply, .inputs = {a.id, b.id}}, a.width, name);
}

Value Builder::scale(Value x, float factor, std::string_view name) {
    return addNode({.code = OpCode::Scale, .inputs = {x.id}, .params = backend::ScaleParams{factor}}, x.width,
                   name);
}

Value Builder::activation(Value x, backend::ActivationKind kind, std::string_view name) {
    return addNode({.code = OpCode::Activation, .inputs = {x.id}, .params = backend::ActivationParams{kind}},
                   x.width, name);
}

Value Builder::tokenShift(Value x, uint32_t state, std::string_view name) {
    return addNode({.code = OpCode::TokenShift, .inputs = {x.id}, .params = backend::StateParams{state}},
                   x.width, name);
}

Value Builder::lerp(Value from, Value to, Weight mix, std::string_view name) {
    return addNode(
        {.code = OpCode::Lerp, .inputs = {from.id, to.id}, .weights = {weight(mix, WeightUse::Vector)}},
        from.width, name);
}

Value Builder::lerp(Value from, Value to, Value mix, std::string_view name) {
    return addNode({.code = OpCode::Lerp, .inputs = {from.id, to.id, mix.id}}, from.width, name);
}

Value Builder::lerp(Value from, Value to, Weight mix, Value shift, std::string_view name) {
    return addNode({.code = OpCode::Lerp,
                    .inputs = {from.id, to.id, shift.id},
                    .weights = {weight(mix, WeightUse::Vector)}},
                   from.width, name);
}

Value Builder::wkv4(Value k, Value v, Weight decay, Weight bonus, const backend::WkvParams& params,
                    std::string_view name) {
    return addNode({.code = OpCode::Wkv4,
                    .inputs = {k.id, v.id},
                    .weights = {weight(decay, WeightUse::Vector), weight(bonus, WeightUse::Vector)},
                    .params = params},
                   k.width, name);
}

Value Builder::wkv5(Value r, Value k, Value v, Weight decay, Weight bonus, const backend::WkvParams& params,
                    std::string_view name) {
    return addNode({.code = OpCode::Wkv5,
                    .inputs = {r.id, k.id, v.id},
                    .weights = {weight(bonus, WeightUse::Vector), weight(decay, WeightUse::Vector)},
                    .params = params},
                   r.width, name);
}

Value Builder::wkv6(Value r, Value k, Value v, Value decay, Weight bonus, const backend::WkvParams& params,
                    std::string_view name) {
    return addNode({.code = OpCode::Wkv5,
                    .inputs = {r.id, k.id, v.id, decay.id},
                    .weights = {weight(bonus, WeightUse::Vector)},
                    .params = params},
                   r.width, name);
}

Value Builder::wkv7(Value r, Value decay, Value k, Value v, Value removed, Value rate,
                    const backend::WkvParams& params, std::string_view name) {
    return addNode(
        {.code = OpCode::Wkv7, .inputs = {r.id, decay.id, k.id, v.id, removed.id, rate.id}, .params = params},
        r.width, name);
}

Value Builder::wkvBonus(Value r, Value k, Value v, Weight bonus, const backend::WkvParams& params,
                        std::string_view name) {
    return addNode({.code = OpCode::WkvBonus,
                    .inputs = {r.id, k.id, v.id},
                    .weights = {weight(bonus, WeightUse::Vector)},
                    .params = params},
                   v.width, name);
}

}  // namespace ingle::graph
