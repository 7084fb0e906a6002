/// Graph → plan: passes, buffer planning, flat records.
#pragma once

#include "engine/backend/plan.h"
#include "engine/graph/graph.h"

namespace ingle::graph {

enum class Fusion { On, Off };

struct LowerOptions {
    uint32_t maxTokens = 1;
    uint32_t maxLogitRows = 1;
    Fusion fusion = Fusion::On;
};

/// Slots are shared by values whose lifetimes do not overlap; an op's outputs never share a slot with its
/// inputs.
backend::Plan lower(Graph graph, const LowerOptions& options);

}  // namespace ingle::graph
