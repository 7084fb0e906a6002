/// What files keep beside the blocks of a matrix: scales of parts of any size, and another order of columns.
/// FP8 files have a scale for the whole matrix or for each 128 × 128 values; GPTQ and AWQ have scales and
/// offsets for groups of a row, and GPTQ may store the columns in another order. Sources: DeepSeek-AI,
/// "DeepSeek-V3 Technical Report" (2024), section 3.3.2; Frantar et al., "GPTQ" (2023); Lin et al., "AWQ"
/// (2024).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/tensor/tensor.h"

namespace ingle::tensor {

/// Column c of row r is  scale * stored + offset, of the value stored at columns[c]; scale and offset are
/// those of the part in which it is stored. Immutable: any thread.
struct SideData {
    /// Parts are so large; the last ones of a row or a column may be smaller.
    uint64_t partRows = 1;
    uint64_t partColumns = 1;
    std::vector<float> scales;      ///< of the parts, row by row; none: 1
    std::vector<float> offsets;     ///< as many, or none: 0
    std::vector<uint32_t> columns;  ///< where each column is stored; empty: in order
    /// 0: all rows have one order; else so many rows have one, and `columns` has one behind the other.
    uint64_t rowsPerOrder = 0;

    /// Whether it changes values, and not only their order.
    bool hasScales() const { return !scales.empty(); }
    /// `values`: a row as it is stored, which becomes what it stands for.
    void apply(uint64_t row, std::span<float> values) const;
};

/// Whether it is there and changes values: such matrices have no kernels of their own.
inline bool hasScales(const Tensor& matrix) {
    return matrix.side && matrix.side->hasScales();
}

/// Where a row has its columns; empty: as they are counted.
inline std::span<const uint32_t> columnsOf(const Tensor& matrix, uint64_t row) {
    if (!matrix.side || matrix.side->columns.empty()) return {};
    const std::span<const uint32_t> columns(matrix.side->columns);
    const uint64_t order = matrix.side->rowsPerOrder ? row / matrix.side->rowsPerOrder : 0;
    return columns.subspan(order * matrix.shape.rowElems(), matrix.shape.rowElems());
}

/// Whether it fits a matrix of this shape. Errors: Corrupt, in one sentence.
Status checkSideData(const SideData& side, const Shape& shape);

}  // namespace ingle::tensor
