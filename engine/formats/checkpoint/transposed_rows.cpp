#include "engine/formats/checkpoint/transposed_rows.h"

#include <algorithm>
#include <cstring>

namespace ingle::formats {
namespace {

/// Rows that are made at a time: neighbours lie in one cache line.
constexpr uint64_t kNeighbourRows = 64;

class TransposedRows final : public tensor::RowDecoder {
  public:
    TransposedRows(std::span<const std::byte> data, uint64_t columns, uint64_t rows, size_t numberBytes)
        : m_data(data), m_columns(columns), m_rows(rows), m_bytes(numberBytes) {}

    void decode(uint64_t first, uint64_t count, std::byte* out) const override {
        for (const uint64_t end = first + count; first < end;) {
            const uint64_t matrix = first / m_rows, row = first % m_rows;
            const uint64_t strip = std::min({kNeighbourRows, m_rows - row, end - first});
            const std::byte* from = m_data.data() + (matrix * m_columns * m_rows + row) * m_bytes;
            for (uint64_t column = 0; column < m_columns; ++column, from += m_rows * m_bytes)
                for (uint64_t i = 0; i < strip; ++i)
                    std::memcpy(out + (i * m_columns + column) * m_bytes, from + i * m_bytes, m_bytes);
            out += strip * m_columns * m_bytes;
            first += strip;
        }
    }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        stored.push_back(m_data);
    }

  private:
    std::span<const std::byte> m_data;
    uint64_t m_columns, m_rows;
    size_t m_bytes;
};

}  // namespace

Result<tensor::Tensor> transposed(const StoredTensor& stored) {
    const quant::QuantFormat* format = quant::findFormat(std::string_view(stored.type));
    const size_t numDims = stored.dims.size();
    if (!format || format->blockElems != 1 || numDims < 2 || numDims > 3)
        return fail(ErrorCode::Unsupported, "tensor '{}' of {} and {} dimensions is not supported",
                    shown(stored.name), shown(stored.type), numDims);
    const uint64_t rows = stored.dims[numDims - 1], columns = stored.dims[numDims - 2];
    tensor::Tensor made{.name = stored.name,
                        .shape = tensor::Shape::of(columns, rows, numDims == 3 ? stored.dims[0] : 1),
                        .format = format};
    INGLE_TRY_ASSIGN(const uint64_t bytes, tensor::checkedBytes(made.shape, *format));
    if (bytes != stored.data.size())
        return fail(ErrorCode::Corrupt, "tensor '{}' is shorter than its shape says", shown(stored.name));
    made.decoder = std::make_shared<TransposedRows>(stored.data, columns, rows, format->blockBytes);
    return made;
}

}  // namespace ingle::formats
