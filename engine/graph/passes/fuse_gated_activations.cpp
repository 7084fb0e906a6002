#include <algorithm>

#include "engine/graph/passes.h"

namespace ingle::graph {

void fuseGatedActivations(Graph& graph) {
    constexpr size_t kNone = SIZE_MAX;
    std::vector<uint32_t> uses(graph.values.size(), 0);
    std::vector<size_t> writer(graph.values.size(), kNone);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        for (const ValueId input : graph.nodes[i].inputs) ++uses[input];
        for (const ValueId output : graph.nodes[i].outputs) writer[output] = i;
    }
    std::vector<bool> dropped(graph.nodes.size(), false);
    for (Node& node : graph.nodes) {
        if (node.code != backend::OpCode::Multiply) continue;
        // Either factor may be the activation; the product is the same.
        for (const size_t gate : {size_t{0}, size_t{1}}) {
            const ValueId value = node.inputs[gate];
            const Node& source = graph.nodes[writer[value]];
            if (source.code != backend::OpCode::Activation || uses[value] != 1 || value == graph.output)
                continue;
            dropped[writer[value]] = true;
            node = Node{.code = backend::OpCode::GatedActivation,
                        .inputs = {source.inputs[0], node.inputs[1 - gate]},
                        .outputs = node.outputs,
                        .weights = {},
                        .params = source.params};
            break;
        }
    }
    size_t index = 0;
    std::erase_if(graph.nodes, [&](const Node&) { return dropped[index++]; });
}

}  // namespace ingle::graph
