/// Graph → plan: passes, lifetimes, flat records.
#pragma once

#include "engine/backend/plan.h"
#include "engine/graph/graph.h"

namespace ingle::graph {

using backend::Fusion;

struct LowerOptions {
    uint32_t maxTokens = 1;
    uint32_t maxLogitRows = 1;
    Fusion fusion = Fusion::On;
    bool keepHidden = false;  ///< Graph::hidden becomes Plan::hidden
};

backend::Plan lower(Graph graph, const LowerOptions& options);

}  // namespace ingle::graph
