#include "engine/formats/checkpoint/group_weights.h"

#include <algorithm>
#include <numeric>

#include "engine/quant/group_block.h"
#include "engine/tensor/side_data.h"

namespace ingle::formats {
namespace {

/// Rows that are read at a time: their levels stay in the second-level cache.
constexpr uint64_t kStripRows = 64;

class GroupRows final : public tensor::RowDecoder {
  public:
    /// order: the column that each stored one is; empty: the same.
    GroupRows(const GroupMatrix& matrix, const quant::QuantFormat& format, std::vector<uint32_t> order,
              std::vector<uint32_t> groupOfBlock)
        : m_source(matrix.source),
          m_width(matrix.width),
          m_bits(matrix.bits),
          m_format(format),
          m_order(std::move(order)),
          m_groupOfBlock(std::move(groupOfBlock)) {}

    void decode(uint64_t first, uint64_t count, std::byte* out) const override {
        std::vector<uint8_t> levels(std::min(count, kStripRows) * m_width);
        std::vector<uint8_t> ordered(m_order.size());
        for (const uint64_t end = first + count; first < end;) {
            const uint64_t rows = std::min(kStripRows, end - first);
            m_source->readLevels(first, rows, levels.data());
            for (uint64_t row = 0; row < rows; ++row) {
                const uint8_t* own = levels.data() + row * m_width;
                for (size_t i = 0; i < m_order.size(); ++i) ordered[i] = own[m_order[i]];
                out = store(first + row, m_order.empty() ? own : ordered.data(), out);
            }
            first += rows;
        }
    }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        m_source->addStored(stored);
    }

  private:
    /// Returns the end of the row.
    std::byte* store(uint64_t row, const uint8_t* levels, std::byte* out) const {
        for (const uint32_t group : m_groupOfBlock) {
            quant::storeGroupHead(out, m_source->scale(row, group), m_source->zero(row, group));
            if (m_bits == 8)
                quant::storeGroupLevels<8>(out, levels, m_format.blockElems);
            else
                quant::storeGroupLevels<4>(out, levels, m_format.blockElems);
            levels += m_format.blockElems;
            out += m_format.blockBytes;
        }
        return out;
    }

    std::shared_ptr<const GroupSource> m_source;
    uint64_t m_width;
    uint32_t m_bits;
    const quant::QuantFormat& m_format;
    std::vector<uint32_t> m_order, m_groupOfBlock;
};

/// Whether each block of so many of these columns lies in one group.
bool areWhole(const GroupMatrix& matrix, std::span<const uint32_t> order, uint32_t elems) {
    if (matrix.width % elems != 0) return false;
    for (uint64_t i = 0; i < matrix.width; ++i)
        if (matrix.groupOfColumn[order[i]] != matrix.groupOfColumn[order[i / elems * elems]]) return false;
    return true;
}

}  // namespace

Result<tensor::Tensor> makeGroupTensor(GroupMatrix matrix) {
    const auto groupOf = [&](uint32_t column) { return matrix.groupOfColumn[column]; };
    std::vector<uint32_t> order(matrix.width);
    std::iota(order.begin(), order.end(), 0U);
    const bool isOrdered = std::ranges::is_sorted(matrix.groupOfColumn);
    if (!isOrdered) std::ranges::stable_sort(order, {}, groupOf);
    const quant::QuantFormat* format = nullptr;
    for (const uint32_t elems : {32U, 64U, 128U})
        if (const auto* larger = quant::findFormat(quant::groupQuant(matrix.bits, elems));
            larger && areWhole(matrix, order, elems))
            format = larger;
    if (!format)
        return fail(ErrorCode::Unsupported, "tensor '{}': its groups of columns are not whole blocks of 32",
                    shown(matrix.name));
    std::vector<uint32_t> groupOfBlock;
    for (uint64_t i = 0; i < matrix.width; i += format->blockElems) groupOfBlock.push_back(groupOf(order[i]));

    tensor::Tensor made{
        .name = matrix.name, .shape = tensor::Shape::of(matrix.width, matrix.numRows), .format = format};
    INGLE_TRY(tensor::checkedBytes(made.shape, *format));
    if (isOrdered) {
        order = {};
    } else {
        auto side = std::make_shared<tensor::SideData>();
        side->columns.resize(order.size());
        for (uint32_t i = 0; i < order.size(); ++i) side->columns[order[i]] = i;
        made.side = std::move(side);
    }
    made.decoder = std::make_shared<GroupRows>(matrix, *format, std::move(order), std::move(groupOfBlock));
    return made;
}

std::vector<uint32_t> evenGroups(uint64_t width, uint64_t size) {
    std::vector<uint32_t> groups(width);
    for (uint64_t i = 0; i < width; ++i) groups[i] = static_cast<uint32_t>(i / size);
    return groups;
}

Result<std::vector<uint32_t>> statedGroups(const StoredTensor& stored, uint64_t width, uint64_t numGroups) {
    if (stored.dims[0] != width)
        return fail(ErrorCode::Corrupt, "tensor '{}' names groups of {} columns where there are {}",
                    shown(stored.name), stored.dims[0], width);
    std::vector<uint32_t> groups(width);
    for (uint64_t i = 0; i < width; ++i) {
        groups[i] = wordAt(stored.data, i);
        if (groups[i] >= numGroups)
            return fail(ErrorCode::Corrupt, "tensor '{}' names group {} of {}", shown(stored.name),
                        static_cast<int32_t>(groups[i]), numGroups);
    }
    return groups;
}

}  // namespace ingle::formats
