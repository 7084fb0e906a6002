/// A plan cut in two between layers, so that two backends compute it one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/memory.h"
#include "engine/backend/plan.h"

namespace ingle::backend::split {

/// Of what sequences remember, what the layers before the cut read and write, and those behind it.
struct MemoryCut {
    struct Part {
        MemorySpec spec;
        std::vector<uint32_t> kv, states;  ///< indices into the whole MemorySpec, ascending
    };
    Part front, back;
};

/// `layers`: how many come before the cut, of which `plan` has more. What no op uses belongs to the front.
/// Both parts keep tokens as long as the whole does. Errors: Unsupported, where layers on both sides use the
/// same keys and values, or where layers are not known (Plan::layerEnds).
Result<MemoryCut> cutMemory(const Plan& plan, const MemorySpec& memory, uint32_t layers);

/// Refers to the same weights as the whole plan. `front` gives rows for each token of a step, which `back`
/// takes as Step::inputRows. What `back` gives is the result.
struct PlanCut {
    Plan front, back;
};

/// `memory`: of the same model, cut there. Errors: Unsupported, where the layers behind the cut read rows of
/// pictures, or nothing is left for them but the rows whose logits are wanted.
Result<PlanCut> cutPlan(const Plan& plan, const MemoryCut& memory, uint32_t layers);

/// Bytes of the tensors that a plan's matrices are in, each counted once.
uint64_t weightBytes(const Plan& plan);

}  // namespace ingle::backend::split
