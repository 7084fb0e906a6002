#include "engine/graph/lower.h"

#include "engine/graph/passes.h"

namespace ingle::graph {

backend::Plan lower(Graph graph, const LowerOptions& options) {
    if (!options.keepHidden) graph.hidden.reset();
    selectLogitRows(graph);
    if (options.fusion == Fusion::On) {
        stackSiblingLinears(graph);
        fuseGatedActivations(graph);
    }
    backend::Plan plan;
    plan.maxTokens = options.maxTokens;
    plan.maxLogitRows = options.maxLogitRows;
    plan.fusion = options.fusion;
    // Values that passes have made superfluous get no number.
    std::vector<backend::ValueId> numbers(graph.values.size());
    const auto read = [&](ValueId value, size_t at) {
        backend::PlanValue& planned = plan.values[numbers[value]];
        planned.lastOp = static_cast<uint32_t>(at);
        ++planned.numUses;
        return backend::Operand{numbers[value], planned.width};
    };
    for (Node& node : graph.nodes) {
        const auto at = static_cast<uint32_t>(plan.ops.size());
        backend::Op op{
            .code = node.code, .weights = std::move(node.weights), .params = std::move(node.params)};
        for (const ValueId input : node.inputs) op.inputs.push_back(read(input, at));
        for (const ValueId output : node.outputs) {
            const ValueInfo& info = graph.values[output];
            numbers[output] = static_cast<backend::ValueId>(plan.values.size());
            op.outputs.push_back({numbers[output], info.width});
            plan.values.push_back(
                {.name = info.name, .width = info.width, .rows = info.rows, .firstOp = at, .lastOp = at});
        }
        plan.ops.push_back(std::move(op));
    }
    for (const ValueId end : graph.layerEnds) plan.layerEnds.push_back(plan.values[numbers[end]].firstOp + 1);
    plan.weights = std::move(graph.weights);
    plan.output = read(graph.output, plan.ops.size());
    plan.outputKind = graph.outputKind;
    if (graph.hidden) plan.hidden = read(*graph.hidden, plan.ops.size());
    return plan;
}

}  // namespace ingle::graph
