/// Shape, block format and a view of the bytes: what a stored weight is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/quant/format.h"
#include "ingle/result.h"

namespace ingle::tensor {

/// Up to four dimensions, the contiguous one first (GGUF's `ne` order): a torch matrix [out, in] is {in,
/// out}.
struct Shape {
    std::array<uint64_t, 4> dims{1, 1, 1, 1};

    static constexpr Shape of(uint64_t d0, uint64_t d1 = 1, uint64_t d2 = 1, uint64_t d3 = 1) {
        return {{d0, d1, d2, d3}};
    }
    bool operator==(const Shape&) const = default;
    uint64_t rowElems() const { return dims[0]; }
    /// Product of all dimensions but the first. Only valid for shapes that passed checkedBytes().
    uint64_t numRows() const { return dims[1] * dims[2] * dims[3]; }
    uint64_t numMatrices() const { return dims[2] * dims[3]; }
    uint64_t numElems() const { return dims[0] * numRows(); }
    std::string text() const;  ///< "{4096, 32000}"; trailing ones are left out
};

/// Bytes of a tensor of this shape and format. Errors: Corrupt on a zero dimension, a row that is not whole
/// blocks, or a size of 2^63 or more.
Result<uint64_t> checkedBytes(const Shape& shape, const quant::QuantFormat& format);

/// Rows that are stored otherwise than their tensor's format has them: in groups of any size, in columns, or
/// in a part of another tensor. Immutable: any thread. Does not own the stored bytes.
class RowDecoder {
  public:
    virtual ~RowDecoder() = default;
    /// out: rows [first, first + count) in the tensor's format, one behind the other. Rows that lie in
    /// columns are read fastest some dozens at a time.
    virtual void decode(uint64_t first, uint64_t count, std::byte* out) const = 0;
    /// Adds what it reads: once all rows are made, nobody needs it any more.
    virtual void addStored(std::vector<std::span<const std::byte>>& stored) const = 0;
};

/// Where rows lie that are not in one piece, as those of experts that are tensors of their own, or in another
/// order. Immutable: any thread. Does not own the stored bytes.
struct RowTable {
    uint64_t rowsPerRun = 1;
    /// Where each run of so many rows begins, one behind the other within.
    std::vector<const std::byte*> runs;
};

/// Numbers that belong to a matrix beside its blocks: engine/tensor/side_data.h.
struct SideData;

/// A weight in a mapped file or a buffer. Does not own the bytes; `ModelFile` keeps them alive. Only valid
/// with a shape that passed checkedBytes().
struct Tensor {
    std::string name;
    Shape shape;
    const quant::QuantFormat* format = nullptr;
    std::span<const std::byte> data;  ///< extent() long; any alignment
    /// Null, or: makes the rows, and `data` is empty until ModelFile::expand() has had all of them made.
    std::shared_ptr<const RowDecoder> decoder = {};
    /// Null, or what turns the values of its blocks into its own. decodeRow() does so; whoever reads rows as
    /// they are stored has to, or refuses.
    std::shared_ptr<const SideData> side = {};
    /// Null, or: where the rows are, while `data` is empty; ModelFile::expand() puts them one behind the
    /// other.
    std::shared_ptr<const RowTable> table = {};
    /// Bytes from a row to the next, and from a matrix (the first two dimensions) to the next, where others
    /// lie between them; 0: they follow each other.
    uint64_t rowStride = 0;
    uint64_t matrixStride = 0;

    uint64_t rowBytes() const { return shape.rowElems() / format->blockElems * format->blockBytes; }
    /// Of its rows, without what lies between them.
    uint64_t bytes() const { return rowBytes() * shape.numRows(); }
    /// The strides as they are.
    uint64_t rowStep() const { return rowStride ? rowStride : rowBytes(); }
    uint64_t matrixStep() const { return matrixStride ? matrixStride : shape.dims[1] * rowStep(); }
    /// From the first row to the end of the last.
    uint64_t extent() const {
        return (shape.numMatrices() - 1) * matrixStep() + (shape.dims[1] - 1) * rowStep() + rowBytes();
    }
    /// The stored bytes of a row; `data` must be there, or a table.
    const std::byte* row(uint64_t index) const {
        if (data.empty() && table)
            return table->runs[index / table->rowsPerRun] + index % table->rowsPerRun * rowBytes();
        return data.data() + index / shape.dims[1] * matrixStep() + index % shape.dims[1] * rowStep();
    }
    /// out: shape.rowElems() floats.
    void decodeRow(uint64_t row, std::span<float> out) const;
};

}  // namespace ingle::tensor
