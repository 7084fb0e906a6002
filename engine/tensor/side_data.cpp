#include "engine/tensor/side_data.h"

#include <algorithm>
#include <cstring>

namespace ingle::tensor {
namespace {

uint64_t partsOf(uint64_t count, uint64_t size) {
    return count / size + (count % size != 0);
}

}  // namespace

FloatList FloatList::at(std::span<const std::byte> bytes) {
    FloatList list;
    if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(float) == 0) {
        list.m_bytes = bytes;
        return list;
    }
    list.m_own.resize(bytes.size() / sizeof(float));
    std::memcpy(list.m_own.data(), bytes.data(), list.m_own.size() * sizeof(float));
    return list;
}

uint64_t SideData::partsPerRow(const Shape& shape) const {
    return partsOf(shape.rowElems(), partColumns);
}

std::shared_ptr<const SideData> SideData::ofRows(const Shape& shape, uint64_t first, uint64_t count) const {
    if (rowsPerOrder != 0) return nullptr;
    if (first % partRows != 0 || (count % partRows != 0 && first + count != shape.numRows())) return nullptr;
    const uint64_t perRow = partsPerRow(shape);
    const uint64_t begin = first / partRows * perRow, parts = partsOf(count, partRows) * perRow;
    return std::make_shared<const SideData>(SideData{.partRows = partRows,
                                                     .partColumns = partColumns,
                                                     .scales = scales.part(begin, parts),
                                                     .offsets = offsets.part(begin, parts),
                                                     .zeros = zeros.part(begin, parts),
                                                     .columns = columns});
}

void SideData::apply(uint64_t row, std::span<float> values) const {
    uint64_t part = row / partRows * partsOf(values.size(), partColumns);
    for (size_t at = 0; at < values.size() && hasScales(); at += partColumns, ++part) {
        const auto own = values.subspan(at, std::min<uint64_t>(partColumns, values.size() - at));
        const float scale = scales[part];
        const float zero = zeros.empty() ? 0.0F : zeros[part];
        for (float& value : own) value = (value - zero) * scale;
        if (offsets.empty()) continue;
        const float offset = offsets[part];
        for (float& value : own) value += offset;
    }
    if (columns.empty()) return;
    const std::vector<float> stored(values.begin(), values.end());
    const uint32_t* own = columns.data() + (rowsPerOrder ? row / rowsPerOrder * values.size() : 0);
    for (size_t column = 0; column < values.size(); ++column) values[column] = stored[own[column]];
}

Status checkSideData(const SideData& side, const Shape& shape) {
    if (side.partRows == 0 || side.partColumns == 0)
        return fail(ErrorCode::Corrupt, "scales of {} × {} values", side.partRows, side.partColumns);
    const uint64_t numParts =
        partsOf(shape.numRows(), side.partRows) * partsOf(shape.rowElems(), side.partColumns);
    if (side.hasScales() && side.scales.size() != numParts)
        return fail(ErrorCode::Corrupt, "{} scales for a matrix of shape {}, which has {} parts of {} × {}",
                    side.scales.size(), shape.text(), numParts, side.partRows, side.partColumns);
    if (!side.offsets.empty() && side.offsets.size() != side.scales.size())
        return fail(ErrorCode::Corrupt, "{} offsets for {} scales", side.offsets.size(), side.scales.size());
    if (!side.zeros.empty() && side.zeros.size() != side.scales.size())
        return fail(ErrorCode::Corrupt, "{} zeros for {} scales", side.zeros.size(), side.scales.size());
    if (!side.zeros.empty() && !side.offsets.empty())
        return fail(ErrorCode::Corrupt, "scales with both offsets and zeros");
    if (side.columns.empty()) return {};
    const uint64_t numOrders = side.rowsPerOrder ? partsOf(shape.numRows(), side.rowsPerOrder) : 1;
    if (side.columns.size() % numOrders != 0 || side.columns.size() / numOrders != shape.rowElems())
        return fail(ErrorCode::Corrupt, "an order of {} columns for rows of {}", side.columns.size(),
                    shape.rowElems());
    std::vector<uint64_t> takenBy(shape.rowElems());
    for (size_t i = 0; i < side.columns.size(); ++i) {
        const uint64_t order = i / shape.rowElems() + 1;
        const uint32_t column = side.columns[i];
        if (column >= takenBy.size() || takenBy[column] == order)
            return fail(ErrorCode::Corrupt, "an order of columns that names {} twice or beyond the row",
                        column);
        takenBy[column] = order;
    }
    return {};
}

}  // namespace ingle::tensor
