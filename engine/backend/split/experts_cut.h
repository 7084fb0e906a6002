/// A plan without some of its experts, which another backend computes in the middle of a step: most of a
/// mixture's weights, of which a token reads few.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/backend/plan.h"

namespace ingle::backend::split {

/// The experts of a layer, and what lies between their products and the sum over them.
struct Mixture {
    std::vector<uint32_t> ops;     ///< indices into the plan's, ascending
    std::vector<ValueId> inputs;   ///< made by other ops
    std::vector<ValueId> outputs;  ///< read by other ops
};
/// In the plan's order. Without those of which nothing can be cut out.
std::vector<Mixture> mixturesOf(const Plan& plan);

/// Both refer to the whole plan's weights.
struct ExpertsCut {
    Plan rest;     ///< has OpCode::Elsewhere in their place; Plan::elsewhere is to be set
    Plan experts;  ///< a part for each (Plan::parts), without memory; empty without mixtures
};
/// `mixtures`: some of mixturesOf(plan).
ExpertsCut cutExperts(const Plan& plan, std::span<const Mixture> mixtures);

}  // namespace ingle::backend::split
