#include <map>

#include "engine/backend/op_facts.h"
#include "engine/graph/passes.h"

namespace ingle::graph {

void selectLogitRows(Graph& graph) {
    // From the end backwards: a node runs on selected rows when it is row-wise and all readers of its outputs
    // do.
    std::vector<bool> readByFullRows(graph.values.size(), false);
    if (graph.hidden) readByFullRows[*graph.hidden] = true;
    std::vector<bool> selected(graph.nodes.size(), false);
    for (size_t i = graph.nodes.size(); i-- > 0;) {
        const Node& node = graph.nodes[i];
        bool onlySelected =
            backend::factsOf(node.code).scope == backend::RowScope::Own && !node.outputs.empty();
        for (const ValueId output : node.outputs) onlySelected = onlySelected && !readByFullRows[output];
        selected[i] = onlySelected;
        if (!onlySelected) {
            for (const ValueId input : node.inputs) readByFullRows[input] = true;
        }
    }

    std::vector<Node> nodes;
    std::map<ValueId, ValueId> selectedCopy;  // full value → its selected rows
    const auto selectRows = [&](ValueId full) {
        const auto [found, isNew] = selectedCopy.try_emplace(full, static_cast<ValueId>(graph.values.size()));
        if (isNew) {
            ValueInfo info = graph.values[full];
            info.rows = backend::RowKind::Logit;
            info.name += ".selected";
            graph.values.push_back(std::move(info));
            nodes.push_back(
                {.code = backend::OpCode::SelectRows, .inputs = {full}, .outputs = {found->second}});
        }
        return found->second;
    };
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        Node node = std::move(graph.nodes[i]);
        if (selected[i]) {
            for (ValueId& input : node.inputs) {
                if (graph.values[input].rows == backend::RowKind::Token) input = selectRows(input);
            }
            for (const ValueId output : node.outputs) graph.values[output].rows = backend::RowKind::Logit;
        }
        nodes.push_back(std::move(node));
    }
    graph.nodes = std::move(nodes);
    // A network whose last op mixes rows still has to hand over logits of selected rows only.
    if (graph.values[graph.output].rows == backend::RowKind::Token) {
        std::swap(nodes, graph.nodes);
        graph.output = selectRows(graph.output);
        std::swap(nodes, graph.nodes);
    }
}

}  // namespace ingle::graph
