/// A forward pass as plain ops over named values: what families emit and passes rewrite.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/plan.h"

namespace ingle::graph {

/// Index into Graph::values.
using ValueId = uint32_t;

struct ValueInfo {
    uint32_t width = 0;  ///< floats per row
    backend::RowKind rows = backend::RowKind::Token;
    std::string name;  ///< trace name, e.g. "blk.3.attn_norm"
};

struct Node {
    backend::OpCode code{};
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    std::vector<uint32_t> weights;  ///< indices into Graph::weights
    backend::OpParams params;
};

/// Nodes in an order in which they can run. Every value is written by exactly one node.
struct Graph {
    std::vector<ValueInfo> values;
    std::vector<Node> nodes;
    std::vector<backend::PlanWeight> weights;
    ValueId output = 0;
    std::vector<ValueId> layerEnds;  ///< of each layer the value that is made last
    std::optional<ValueId> hidden;   ///< what the output is made of, of every token; see LowerOptions
    backend::OutputKind outputKind = backend::OutputKind::Logits;
};

}  // namespace ingle::graph
