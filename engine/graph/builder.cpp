#include "engine/graph/builder.h"

#include <utility>

namespace ingle::graph {

Result<Value> Builder::tryToWrite(const Call& call, const std::string& name) {
    Node node{.code = call.code, .params = call.params};
    std::vector<backend::OpCall::Input> inputs;
    for (const Value input : call.inputs) {
        const bool isThere = input.id < m_graph.values.size();
        inputs.push_back(isThere ? backend::OpCall::Input{m_graph.values[input.id].name, input.width}
                                 : backend::OpCall::Input{"nothing", 0});
        node.inputs.push_back(input.id);
    }
    std::vector<Weight> weights = call.matrices;
    weights.insert(weights.end(), call.vectors.begin(), call.vectors.end());
    INGLE_TRY_ASSIGN(
        const backend::Widths widths,
        backend::outputWidths(
            {.code = call.code, .name = name, .inputs = inputs, .weights = weights, .params = call.params}));
    for (size_t i = 0; i < weights.size(); ++i) {
        node.weights.push_back(static_cast<uint32_t>(m_graph.weights.size()));
        const bool isMatrix = i < call.matrices.size();
        m_graph.weights.push_back(
            {weights[i], isMatrix ? backend::WeightUse::Matrix : backend::WeightUse::Vector});
    }
    Value made;
    for (const uint32_t width : widths) {
        made = {static_cast<ValueId>(m_graph.values.size()), width};
        node.outputs.push_back(made.id);
        m_graph.values.push_back({width, backend::RowKind::Token, name});
    }
    m_graph.nodes.push_back(std::move(node));
    return made;
}

Value Builder::write(const Call& call, std::string_view name) {
    if (!m_status) return {};
    std::string full(name);
    if (!name.empty() && !m_scope.empty()) full = m_scope + "." + full;
    const Result<Value> made = tryToWrite(call, full);
    if (made) return *made;
    m_status = tl::unexpected(made.error());
    return {};
}

Value Builder::routeExperts(Value x, const kernels::RouteRule& rule, Weight choiceBias, Weight expertScale,
                            std::string_view name) {
    std::vector<Weight> weights;
    const auto add = [&](Weight weight) -> std::optional<uint32_t> {
        if (!weight) return {};
        weights.push_back(weight);
        return static_cast<uint32_t>(weights.size()) - 1;
    };
    const backend::RouteParams params{
        .rule = rule, .choiceBias = add(choiceBias), .expertScale = add(expertScale)};
    return write({.code = OpCode::RouteExperts, .inputs = {x}, .vectors = weights, .params = params}, name);
}

void Builder::output(Value x, backend::OutputKind kind) {
    m_graph.output = x.id;
    m_graph.outputKind = kind;
    m_hasOutput = true;
}

Result<Graph> Builder::take() {
    INGLE_TRY(m_status);
    if (!m_hasOutput) return fail(ErrorCode::InvalidArgument, "the forward pass ends without a result");
    return std::move(m_graph);
}

}  // namespace ingle::graph
