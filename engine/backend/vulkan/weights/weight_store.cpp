#include "engine/backend/vulkan/weights/weight_store.h"

#include <algorithm>
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/cpu_features.h"
#include "engine/base/thread_pool.h"
#include "engine/tensor/side_data.h"

namespace ingle::backend::vulkan {
namespace {

/// Reads the rows of stacked matrices in the order in which the device keeps them.
class StackedRows {
  public:
    StackedRows(std::span<const tensor::Tensor* const> parts, RowOrder order)
        : m_parts(parts), m_order(order) {}

    struct Row {
        const tensor::Tensor* matrix;
        uint64_t index;
    };
    Row at(uint64_t row) const {
        if (m_order == RowOrder::InTurns) return {m_parts[row % m_parts.size()], row / m_parts.size()};
        size_t part = 0;
        for (; row >= m_parts[part]->shape.numRows(); ++part) row -= m_parts[part]->shape.numRows();
        return {m_parts[part], row};
    }

  private:
    std::span<const tensor::Tensor* const> m_parts;
    RowOrder m_order;
};

/// Rows that are worth a thread.
constexpr uint32_t kThreadRows = 256;

/// Repacks the rows of a matrix on all cores.
class RowPacker {
  public:
    RowPacker(const DeviceMatrix& matrix, StackedRows rows)
        : m_matrix(matrix),
          m_rows(rows),
          m_threads(std::min(base::physicalCores(), matrix.numRows / kThreadRows + 1)) {}

    /// Writes bytes [offset, offset + piece.size()) of the rows from `firstRow` on. A piece may begin and end
    /// inside a row.
    void write(uint64_t firstRow, uint64_t offset, std::span<std::byte> piece) {
        constexpr size_t kGrain = 16;
        const uint64_t rowBytes = m_matrix.row.rowBytes;
        const uint64_t first = offset / rowBytes;
        const uint64_t end = (offset + piece.size() + rowBytes - 1) / rowBytes;
        m_threads.parallelFor(end - first, kGrain, [&](size_t from, size_t to, uint32_t) {
            std::vector<std::byte> packed(rowBytes);
            std::vector<float> values;
            for (uint64_t row = first + from; row < first + to; ++row) {
                pack(m_rows.at(firstRow + row), packed, values);
                const uint64_t begins = std::max(row * rowBytes, offset);
                const uint64_t ends = std::min((row + 1) * rowBytes, offset + piece.size());
                std::memcpy(piece.data() + (begins - offset), packed.data() + (begins - row * rowBytes),
                            ends - begins);
            }
        });
    }

  private:
    void pack(const StackedRows::Row& source, std::span<std::byte> packed, std::vector<float>& values) const {
        const std::byte* row = source.matrix->row(source.index);
        if (source.matrix->side || source.matrix->format->id != m_matrix.format->id) {
            values.resize(m_matrix.k);
            source.matrix->decodeRow(source.index, values);
            row = reinterpret_cast<const std::byte*>(values.data());
        }
        std::ranges::fill(packed, std::byte{0});
        PlanePointers planes{};
        for (size_t i = 0; i < planes.size(); ++i) planes[i] = packed.data() + m_matrix.row.offsets[i];
        m_matrix.format->repackRow(row, m_matrix.k, planes);
    }

    const DeviceMatrix& m_matrix;
    StackedRows m_rows;
    base::ThreadPool m_threads;
};

/// Rows of a matrix that bind as a whole.
uint64_t rowsOfShard(uint64_t rowBytes, const WeightFormat& format, const DeviceLimits& limits) {
    return (maxRangeBytes(limits) - format.grid.size_bytes()) / rowBytes / 2 * 2;
}

void decodeVector(const VectorPart& part, std::span<float> out) {
    if (!part.tensor) return;  // zeros already
    const tensor::Tensor& tensor = *part.tensor;
    const size_t width = tensor.shape.rowElems();
    for (size_t row = 0; row < tensor.shape.numRows(); ++row)
        tensor.decodeRow(row, out.subspan(row * width, width));
}

}  // namespace

std::vector<uint64_t> storedRanges(const PlanWeight& weight, const DeviceLimits& limits) {
    const tensor::Shape& shape = weight.tensor->shape;
    if (weight.use == WeightUse::Vector) return {(shape.numElems() + 3) / 4 * 4 * sizeof(float)};
    const WeightFormat& format = weightFormatOf(*weight.tensor);
    const uint64_t rowBytes = layoutRow(format, static_cast<uint32_t>(shape.rowElems())).rowBytes;
    // Where not even two rows bind, whoever stores it says so.
    const uint64_t most = std::max<uint64_t>(rowsOfShard(rowBytes, format, limits), 1);
    std::vector<uint64_t> ranges;
    for (uint64_t row = 0; row < shape.numRows(); row += most)
        ranges.push_back(std::min(most, shape.numRows() - row) * rowBytes + format.grid.size_bytes());
    return ranges;
}

Result<const DeviceMatrix*> WeightStore::matrix(std::span<const tensor::Tensor* const> parts,
                                                RowOrder order) {
    const MatrixKey key{{parts.begin(), parts.end()}, order};
    if (const auto found = m_matrices.find(key); found != m_matrices.end()) return &found->second;
    const tensor::Tensor& first = *parts[0];
    DeviceMatrix matrix{.k = static_cast<uint32_t>(first.shape.rowElems())};
    matrix.format = &weightFormatOf(first);
    matrix.row = layoutRow(*matrix.format, matrix.k);
    for (const tensor::Tensor* part : parts) {
        INGLE_CHECK(part->data.size() == part->extent(), "{}: {} bytes of {}", part->name, part->data.size(),
                    part->extent());
        matrix.numRows += static_cast<uint32_t>(part->shape.numRows());
    }
    INGLE_TRY(upload(matrix, key));
    return &m_matrices.emplace(key, std::move(matrix)).first->second;
}

Status WeightStore::upload(DeviceMatrix& matrix, const MatrixKey& key) {
    const uint64_t rowBytes = matrix.row.rowBytes;
    const auto grid = std::as_bytes(matrix.format->grid);
    const uint64_t most = rowsOfShard(rowBytes, *matrix.format, m_device.info().limits);
    if (most == 0)
        return fail(ErrorCode::OutOfMemory, "{}: two rows of {} bytes are more than the device takes at once",
                    key.parts[0]->name, rowBytes);
    RowPacker packer(matrix, StackedRows(key.parts, key.order));
    for (uint32_t row = 0; row < matrix.numRows;) {
        const auto count = static_cast<uint32_t>(std::min<uint64_t>(most, matrix.numRows - row));
        INGLE_TRY_ASSIGN(const BufferRange range, m_arena.allocate(count * rowBytes + grid.size()));
        INGLE_TRY(m_transfer.upload(range.part(0, count * rowBytes),
                                    [&](uint64_t offset, std::span<std::byte> piece) -> Status {
                                        packer.write(row, offset, piece);
                                        return {};
                                    }));
        if (!grid.empty()) INGLE_TRY(m_transfer.upload(range.part(count * rowBytes, grid.size()), grid));
        matrix.shards.push_back({range, row, count});
        row += count;
    }
    return {};
}

Result<BufferRange> WeightStore::vector(std::span<const VectorPart> parts) {
    const std::vector<VectorPart> key(parts.begin(), parts.end());
    if (const auto found = m_vectors.find(key); found != m_vectors.end()) return found->second;
    size_t numElems = 0;
    for (const VectorPart& part : parts) numElems += part.numElems;
    std::vector<float> values((numElems + 3) / 4 * 4);
    std::span<float> rest(values);
    for (const VectorPart& part : parts) {
        decodeVector(part, rest);
        rest = rest.subspan(part.numElems);
    }
    const auto bytes = std::as_bytes(std::span(values));
    INGLE_TRY_ASSIGN(const BufferRange range, m_arena.allocate(bytes.size()));
    INGLE_TRY(m_transfer.upload(range, bytes));
    m_vectors.emplace(key, range);
    return range;
}

Result<BufferRange> WeightStore::constants(std::span<const uint32_t> words) {
    std::vector<uint32_t> key(words.begin(), words.end());
    if (const auto found = m_constants.find(key); found != m_constants.end()) return found->second;
    const auto bytes = std::as_bytes(words);
    INGLE_TRY_ASSIGN(const BufferRange range, m_arena.allocate(bytes.size()));
    INGLE_TRY(m_transfer.upload(range, bytes));
    m_constants.emplace(std::move(key), range);
    return range;
}

std::vector<const DeviceMatrix*> WeightStore::matrices() const {
    std::vector<const DeviceMatrix*> matrices;
    for (const auto& [key, matrix] : m_matrices) matrices.push_back(&matrix);
    return matrices;
}

}  // namespace ingle::backend::vulkan
