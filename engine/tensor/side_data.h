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
    std::vector<float> scales;      ///< of the parts, row by row
    std::vector<float> offsets;     ///< as many, or none: 0
    std::vector<uint32_t> columns;  ///< where each column is stored; empty: in order

    /// `values`: a row as it is stored, which becomes what it stands for.
    void apply(uint64_t row, std::span<float> values) const;
};

/// Whether it fits a matrix of this shape. Errors: Corrupt, in one sentence.
Status checkSideData(const SideData& side, const Shape& shape);

}  // namespace ingle::tensor
