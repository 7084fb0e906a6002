/// What kernels that decode a matrix are told of it, first of all their push constants.
#pragma once

#include <cstdint>

#include "engine/backend/vulkan/weights/weight_store.h"

namespace ingle::backend::vulkan {

/// Vectors of kVectorBytes: how many a row has, and where in it each plane begins; then how many values make
/// a row, and which rows of the matrix are bound.
struct MatrixPush {
    uint32_t rowVectors, plane1, plane2, plane3;
    uint32_t k, numRows, firstRow;
};
MatrixPush matrixPush(const DeviceMatrix& matrix, const MatrixShard& shard);

}  // namespace ingle::backend::vulkan
