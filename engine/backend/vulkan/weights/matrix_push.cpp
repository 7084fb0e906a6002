#include "engine/backend/vulkan/weights/matrix_push.h"

namespace ingle::backend::vulkan {

MatrixPush matrixPush(const DeviceMatrix& matrix, const MatrixShard& shard) {
    return {.rowVectors = matrix.row.rowBytes / kVectorBytes,
            .plane1 = matrix.row.offsets[1] / kVectorBytes,
            .plane2 = matrix.row.offsets[2] / kVectorBytes,
            .plane3 = matrix.row.offsets[3] / kVectorBytes,
            .k = matrix.k,
            .numRows = shard.numRows,
            .firstRow = shard.firstRow};
}

}  // namespace ingle::backend::vulkan
