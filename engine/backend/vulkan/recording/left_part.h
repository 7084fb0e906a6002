/// A part of a step that another backend computes (OpCode::Elsewhere), between two submissions.
#pragma once

#include <vector>

#include "engine/backend/plan.h"
#include "engine/backend/vulkan/substrate/allocator.h"

namespace ingle::backend::vulkan {

struct LeftPart {
    uint32_t part = 0;              ///< ElsewhereParams::part
    RowKind rows = RowKind::Token;  ///< how many there are in a step
    uint32_t recordedRows = 0;      ///< and at most
    std::vector<RowsView> inputs;   ///< the host's, when the submission before is over
    BufferRange y;                  ///< the host's: [recordedRows, stride], for the submission behind
    size_t stride = 0;
    BufferRange copied;  ///< where that submission copies it to

    /// Computes `numRows` rows, and zeros behind them.
    void compute(PartRunner& runner, uint32_t numRows) const;
};

}  // namespace ingle::backend::vulkan
