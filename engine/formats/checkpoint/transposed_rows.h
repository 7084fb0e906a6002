/// Matrices that are stored transposed: their rows are made of columns.
#pragma once

#include "engine/formats/checkpoint/weight_container.h"

namespace ingle::formats {

/// `stored`, [matrices, columns, rows] or [columns, rows] of plain numbers, as matrices of `rows` rows.
/// Errors: Corrupt (shorter than it says), Unsupported (its type or number of dimensions).
Result<tensor::Tensor> transposed(const StoredTensor& stored);

}  // namespace ingle::formats
