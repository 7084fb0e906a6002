/// A plan by values instead of slots: what each op reads, and who else does. Fused ops need their own
/// planning of buffers, since a slot may be given away in the middle of them.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/plan.h"

namespace ingle::backend::vulkan {

/// Index into PlanValues::values.
using ValueId = uint32_t;

struct PlanValue {
    uint32_t width = 0;  ///< floats a row
    RowKind rows = RowKind::Token;
    uint32_t numUses = 0;  ///< by ops, and one for being the logits
};

struct PlanNode {
    const Op* op = nullptr;
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
};

/// Refers to the plan's ops.
struct PlanValues {
    std::vector<PlanValue> values;
    std::vector<PlanNode> nodes;  ///< one per op, in order
    ValueId logits = 0;

    explicit PlanValues(const Plan& plan);
};

/// Rows of values are padded to whole vectors of four floats.
constexpr uint32_t paddedWidth(uint32_t width) {
    return (width + 3) / 4 * 4;
}

}  // namespace ingle::backend::vulkan
