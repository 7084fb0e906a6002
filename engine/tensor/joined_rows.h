/// Rows of one or several matrices as those of a new one: experts that are tensors of their own, a part of a
/// matrix that is several in one, or its rows in another order.
#pragma once

#include <memory>
#include <vector>

#include "engine/tensor/tensor.h"
#include "ingle/result.h"

namespace ingle::tensor {

/// Rows first, first + step, first + 2 step … of a matrix.
struct RowRange {
    std::shared_ptr<const Tensor> of;
    uint64_t first = 0;
    uint64_t count = 0;
    uint64_t step = 1;
};

/// A matrix of these rows, as {width, sum of counts}; its name is that of the first. The ranges are of one
/// width and format, and lie in their matrices. Errors: Unsupported (scales of different groups, or columns
/// in orders that are not those of ranges of equal length).
Result<Tensor> joinRows(std::vector<RowRange> ranges);

}  // namespace ingle::tensor
