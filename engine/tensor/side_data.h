/// What files keep beside the blocks of a matrix: scales of parts of any size, and another order of columns.
/// FP8 files have a scale for the whole matrix or for each 128 × 128 values; GPTQ and AWQ have scales and
/// offsets for groups of a row, and GPTQ may store the columns in another order; llama2.c has scales for
/// groups of a row, FastLLM scales with offsets or zeros for rows or groups of them. Sources: DeepSeek-AI,
/// "DeepSeek-V3 Technical Report" (2024), section 3.3.2; Frantar et al., "GPTQ" (2023); Lin et al., "AWQ"
/// (2024).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "engine/tensor/tensor.h"

namespace ingle::tensor {

/// Numbers of its own, or that lie in a mapped file.
class FloatList {
  public:
    FloatList() = default;
    FloatList(std::vector<float> own) : m_own(std::move(own)) {}
    FloatList(std::initializer_list<float> own) : m_own(own) {}
    /// Of the numbers in these bytes, wherever they lie: they are copied where they are not aligned. The
    /// bytes must outlive the list.
    static FloatList at(std::span<const std::byte> bytes);

    const float* data() const { return m_bytes.empty() ? m_own.data() : floats(); }
    size_t size() const { return m_bytes.empty() ? m_own.size() : m_bytes.size() / sizeof(float); }
    bool empty() const { return size() == 0; }
    float operator[](size_t i) const { return data()[i]; }
    /// A copy of so many numbers.
    FloatList part(size_t first, size_t count) const {
        return empty() ? FloatList() : FloatList(std::vector<float>(data() + first, data() + first + count));
    }

  private:
    const float* floats() const { return reinterpret_cast<const float*>(m_bytes.data()); }

    std::vector<float> m_own;
    std::span<const std::byte> m_bytes;
};

/// Column c of row r is  scale * stored + offset,  or  scale * (stored - zero),  of the value stored at
/// columns[c]; scale, offset and zero are those of the part in which it is stored. Immutable: any thread.
struct SideData {
    /// Parts are so large; the last ones of a row or a column may be smaller.
    uint64_t partRows = 1;
    uint64_t partColumns = 1;
    FloatList scales;               ///< of the parts, row by row; none: 1
    FloatList offsets;              ///< as many, or none: 0
    FloatList zeros;                ///< as many, or none: 0; not both
    std::vector<uint32_t> columns;  ///< where each column is stored; empty: in order
    /// 0: all rows have one order; else so many rows have one, and `columns` has one behind the other.
    uint64_t rowsPerOrder = 0;

    /// Whether it changes values, and not only their order.
    bool hasScales() const { return !scales.empty(); }
    uint64_t partsPerRow(const Shape& shape) const;
    /// What belongs to rows [first, first + count) of a matrix of this shape; null where a part of it would
    /// be cut, and where the rows may have their columns in several orders.
    std::shared_ptr<const SideData> ofRows(const Shape& shape, uint64_t first, uint64_t count) const;
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
