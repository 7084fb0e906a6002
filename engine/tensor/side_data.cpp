#include "engine/tensor/side_data.h"

namespace ingle::tensor {
namespace {

uint64_t partsOf(uint64_t count, uint64_t size) {
    return count / size + (count % size != 0);
}

}  // namespace

void SideData::apply(uint64_t row, std::span<float> values) const {
    const uint64_t first = row / partRows * partsOf(values.size(), partColumns);
    for (size_t at = 0; at < values.size(); ++at) {
        const uint64_t part = first + at / partColumns;
        values[at] = offsets.empty() ? values[at] * scales[part] : values[at] * scales[part] + offsets[part];
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
