#include <map>

#include "engine/graph/passes.h"

namespace ingle::graph {

void stackSiblingLinears(Graph& graph) {
    std::map<ValueId, size_t> firstOver;  // input → index in `nodes` of the Linear that collects its siblings
    std::vector<Node> nodes;
    for (Node& node : graph.nodes) {
        if (node.code != backend::OpCode::Linear) {
            nodes.push_back(std::move(node));
            continue;
        }
        const auto [found, isNew] = firstOver.try_emplace(node.inputs[0], nodes.size());
        if (isNew) {
            nodes.push_back(std::move(node));
            continue;
        }
        // Moving the sibling up to the first one is safe: its only input exists there.
        Node& first = nodes[found->second];
        const auto shift = static_cast<uint32_t>(first.weights.size());
        for (backend::LinearPart part : std::get<backend::LinearParams>(node.params).parts) {
            part.matrix += shift;
            if (part.bias) *part.bias += shift;
            std::get<backend::LinearParams>(first.params).parts.push_back(part);
        }
        first.weights.insert(first.weights.end(), node.weights.begin(), node.weights.end());
        first.outputs.insert(first.outputs.end(), node.outputs.begin(), node.outputs.end());
    }
    graph.nodes = std::move(nodes);
}

}  // namespace ingle::graph
