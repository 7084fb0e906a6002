#include "engine/graph/lower.h"

#include <algorithm>

#include "engine/graph/passes.h"

namespace ingle::graph {
namespace {

/// Gives each value a slot; a slot is free again after its value's last use.
std::vector<uint32_t> assignSlots(const Graph& graph, std::vector<backend::PlanSlot>& slots) {
    std::vector<size_t> lastUse(graph.values.size(), 0);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        for (const ValueId input : graph.nodes[i].inputs) lastUse[input] = i;
        for (const ValueId output : graph.nodes[i].outputs) lastUse[output] = std::max(lastUse[output], i);
    }
    lastUse[graph.logits] = graph.nodes.size();

    std::vector<uint32_t> slotOf(graph.values.size(), 0);
    std::vector<uint32_t> freeSlots;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        for (const ValueId output : graph.nodes[i].outputs) {
            const ValueInfo& value = graph.values[output];
            // The free slot that wastes or grows least.
            const auto cost = [&](uint32_t slot) {
                const uint32_t width = slots[slot].width;
                return width > value.width ? width - value.width : value.width - width;
            };
            auto best = freeSlots.end();
            for (auto slot = freeSlots.begin(); slot != freeSlots.end(); ++slot) {
                if (slots[*slot].rows != value.rows) continue;
                if (best == freeSlots.end() || cost(*slot) < cost(*best)) best = slot;
            }
            if (best == freeSlots.end()) {
                slotOf[output] = static_cast<uint32_t>(slots.size());
                slots.push_back({value.width, value.rows});
            } else {
                slotOf[output] = *best;
                slots[*best].width = std::max(slots[*best].width, value.width);
                freeSlots.erase(best);
            }
        }
        const auto release = [&](ValueId value) {
            const uint32_t slot = slotOf[value];
            if (lastUse[value] == i && std::ranges::find(freeSlots, slot) == freeSlots.end())
                freeSlots.push_back(slot);
        };
        std::ranges::for_each(graph.nodes[i].inputs, release);
        std::ranges::for_each(graph.nodes[i].outputs, release);
    }
    return slotOf;
}

}  // namespace

backend::Plan lower(Graph graph, const LowerOptions& options) {
    selectLogitRows(graph);
    if (options.fusion == Fusion::On) {
        stackSiblingLinears(graph);
        fuseGatedActivations(graph);
    }
    backend::Plan plan;
    plan.maxTokens = options.maxTokens;
    plan.maxLogitRows = options.maxLogitRows;
    const std::vector<uint32_t> slotOf = assignSlots(graph, plan.slots);
    const auto operand = [&](ValueId value) {
        return backend::Operand{slotOf[value], graph.values[value].width};
    };
    for (Node& node : graph.nodes) {
        backend::Op op{
            .code = node.code, .weights = std::move(node.weights), .params = std::move(node.params)};
        std::ranges::transform(node.inputs, std::back_inserter(op.inputs), operand);
        std::ranges::transform(node.outputs, std::back_inserter(op.outputs), operand);
        for (const ValueId output : node.outputs) op.trace.push_back(graph.values[output].name);
        plan.ops.push_back(std::move(op));
    }
    plan.weights = std::move(graph.weights);
    plan.logits = operand(graph.logits);
    return plan;
}

}  // namespace ingle::graph
