#include "engine/tensor/side_data.h"

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

std::shared_ptr<const SideData> SideData::ofRows(const Shape& shape, std::span<const uint64_t> rows) const {
    if (partRows != 1) return nullptr;
    const uint64_t perRow = partsPerRow(shape);
    const auto ordered = [&](const FloatList& list) {
        std::vector<float> out;
        for (const uint64_t row : rows)
            for (uint64_t part = 0; part < perRow && !list.empty(); ++part)
                out.push_back(list[row * perRow + part]);
        return FloatList(std::move(out));
    };
    return std::make_shared<const SideData>(SideData{.partRows = 1,
                                                     .partColumns = partColumns,
                                                     .scales = ordered(scales),
                                                     .offsets = ordered(offsets),
                                                     .zeros = ordered(zeros),
                                                     .columns = columns});
}

void SideData::apply(uint64_t row, std::span<float> values) const {
    const uint64_t first = row / partRows * partsOf(values.size(), partColumns);
    for (size_t at = 0; at < values.size(); ++at) {
        const uint64_t part = first + at / partColumns;
        const float zero = zeros.empty() ? 0.0F : zeros[part];
        values[at] = (values[at] - zero) * scales[part];
        if (!offsets.empty()) values[at] += offsets[part];
    }
    if (columns.empty()) return;
    const std::vector<float> stored(values.begin(), values.end());
    for (size_t column = 0; column < values.size(); ++column) values[column] = stored[columns[column]];
}

Status checkSideData(const SideData& side, const Shape& shape) {
    if (side.partRows == 0 || side.partColumns == 0)
        return fail(ErrorCode::Corrupt, "scales of {} × {} values", side.partRows, side.partColumns);
    const uint64_t numParts =
        partsOf(shape.numRows(), side.partRows) * partsOf(shape.rowElems(), side.partColumns);
    if (side.scales.size() != numParts)
        return fail(ErrorCode::Corrupt, "{} scales for a matrix of shape {}, which has {} parts of {} × {}",
                    side.scales.size(), shape.text(), numParts, side.partRows, side.partColumns);
    if (!side.offsets.empty() && side.offsets.size() != numParts)
        return fail(ErrorCode::Corrupt, "{} offsets for {} scales", side.offsets.size(), numParts);
    if (!side.zeros.empty() && side.zeros.size() != numParts)
        return fail(ErrorCode::Corrupt, "{} zeros for {} scales", side.zeros.size(), numParts);
    if (!side.zeros.empty() && !side.offsets.empty())
        return fail(ErrorCode::Corrupt, "scales with both offsets and zeros");
    if (side.columns.empty()) return {};
    if (side.columns.size() != shape.rowElems())
        return fail(ErrorCode::Corrupt, "an order of {} columns for rows of {}", side.columns.size(),
                    shape.rowElems());
    std::vector<bool> isTaken(side.columns.size());
    for (const uint32_t column : side.columns) {
        if (column >= isTaken.size() || isTaken[column])
            return fail(ErrorCode::Corrupt, "an order of columns that names {} twice or beyond the row",
                        column);
        isTaken[column] = true;
    }
    return {};
}

}  // namespace ingle::tensor
