/// Rewrites of a graph that leave its numbers as they are. Each has a test that says so; `--no-fuse` switches
/// them off, and backends' fusion with them (all but selectLogitRows, which the plan's logits depend on).
#pragma once

#include "engine/graph/graph.h"

namespace ingle::graph {

/// Inserts SelectRows as early as possible, so that only rows whose logits are wanted pass the end of the
/// network: every node that is row-wise and whose results lead nowhere but to the logits runs on the selected
/// rows.
void selectLogitRows(Graph& graph);

/// Merges Linear nodes over the same input (q, k, v; gate, up) into one with several outputs: the activations
/// are rounded once, and the threads are called once.
void stackSiblingLinears(Graph& graph);

/// f(a) followed by its only use f(a) * b becomes GatedActivation(a, b).
void fuseGatedActivations(Graph& graph);

}  // namespace ingle::graph
