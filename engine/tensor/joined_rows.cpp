#include "engine/tensor/joined_rows.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/tensor/side_data.h"

namespace ingle::tensor {
namespace {

class JoinedRows final : public RowDecoder {
  public:
    explicit JoinedRows(std::vector<RowRange> ranges) : m_ranges(std::move(ranges)) {
        for (const RowRange& range : m_ranges)
            m_ends.push_back((m_ends.empty() ? 0 : m_ends.back()) + range.count);
    }

    void decode(uint64_t first, uint64_t count, std::byte* out) const override {
        auto at = static_cast<size_t>(std::ranges::upper_bound(m_ends, first) - m_ends.begin());
        while (count > 0) {
            const RowRange& range = m_ranges[at];
            const uint64_t within = first - (m_ends[at] - range.count);
            const uint64_t taken = std::min(count, range.count - within);
            read(range, within, taken, out);
            out += taken * range.of->rowBytes();
            first += taken;
            count -= taken;
            ++at;
        }
    }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        const Tensor* last = nullptr;
        for (const RowRange& range : m_ranges) {
            if (range.of->decoder && range.of.get() != last) range.of->decoder->addStored(stored);
            last = range.of.get();
        }
    }

  private:
    static void read(const RowRange& range, uint64_t first, uint64_t count, std::byte* out) {
        const Tensor& of = *range.of;
        if (of.data.empty() && of.decoder && range.step == 1)
            return of.decoder->decode(range.first + first, count, out);
        for (uint64_t row = first; row < first + count; ++row, out += of.rowBytes()) {
            const uint64_t source = range.first + row * range.step;
            if (of.data.empty() && of.decoder)
                of.decoder->decode(source, 1, out);
            else
                std::copy_n(of.row(source), of.rowBytes(), out);
        }
    }

    std::vector<RowRange> m_ranges;
    std::vector<uint64_t> m_ends;  ///< of the ranges, in the new matrix
};

/// The order of columns of the rows of each range, where there is any: one for all of them, or one for each.
Status joinColumns(const std::vector<RowRange>& ranges, SideData& joined) {
    const auto columns = [](const RowRange& range) { return columnsOf(*range.of, range.first); };
    const auto isLike = [&](const RowRange& a, const RowRange& b) {
        return std::ranges::equal(columns(a), columns(b));
    };
    const RowRange& model = ranges.front();
    if (std::ranges::all_of(ranges, [&](const RowRange& range) { return isLike(range, model); })) {
        joined.columns.assign(columns(model).begin(), columns(model).end());
        return {};
    }
    joined.rowsPerOrder = model.count;
    for (const RowRange& range : ranges) {
        if (range.count != model.count || (range.of->side && range.of->side->rowsPerOrder))
            return fail(ErrorCode::Unsupported,
                        "tensor '{}': parts of one matrix have their columns in different orders",
                        range.of->name);
        const auto own = columns(range);
        for (uint32_t i = 0; i < range.of->shape.rowElems(); ++i)
            joined.columns.push_back(own.empty() ? i : own[i]);
    }
    return {};
}

/// Scales and offsets of the ranges' rows, each with its own.
Status joinScales(const std::vector<RowRange>& ranges, SideData& joined) {
    const RowRange& model = ranges.front();
    const bool isScaled = hasScales(*model.of);
    for (const RowRange& range : ranges) {
        const SideData* side = range.of->side.get();
        if (hasScales(*range.of) != isScaled ||
            (isScaled && (side->partColumns != model.of->side->partColumns ||
                          side->offsets.empty() != model.of->side->offsets.empty() ||
                          side->zeros.empty() != model.of->side->zeros.empty())))
            return fail(ErrorCode::Unsupported,
                        "tensor '{}': parts of one matrix have scales of different groups", range.of->name);
    }
    if (!isScaled) return {};
    joined.partColumns = model.of->side->partColumns;
    const uint64_t numParts = (model.of->shape.rowElems() + joined.partColumns - 1) / joined.partColumns;
    const auto append = [&](const FloatList& from, std::vector<float>& to, uint64_t partRow) {
        if (from.empty()) return;
        const float* first = from.data() + partRow * numParts;
        to.insert(to.end(), first, first + numParts);
    };
    std::vector<float> scales, offsets, zeros;
    for (const RowRange& range : ranges) {
        const SideData& side = *range.of->side;
        for (uint64_t row = 0; row < range.count; ++row) {
            const uint64_t partRow = (range.first + row * range.step) / side.partRows;
            append(side.scales, scales, partRow);
            append(side.offsets, offsets, partRow);
            append(side.zeros, zeros, partRow);
        }
    }
    joined.scales = std::move(scales);
    joined.offsets = std::move(offsets);
    joined.zeros = std::move(zeros);
    return {};
}

/// Null where no range has any.
Result<std::shared_ptr<const SideData>> joinSides(const std::vector<RowRange>& ranges) {
    if (std::ranges::none_of(ranges, [](const RowRange& range) { return range.of->side != nullptr; }))
        return nullptr;
    auto joined = std::make_shared<SideData>();
    INGLE_TRY(joinColumns(ranges, *joined));
    INGLE_TRY(joinScales(ranges, *joined));
    return joined;
}

}  // namespace

Result<Tensor> joinRows(std::vector<RowRange> ranges) {
    const Tensor& first = *ranges.front().of;
    Tensor joined{.name = first.name, .shape = Shape::of(first.shape.rowElems(), 0), .format = first.format};
    for (const RowRange& range : ranges) {
        INGLE_CHECK(range.of->format == first.format && range.of->shape.rowElems() == first.shape.rowElems(),
                    "{}: rows of different kinds", first.name);
        INGLE_CHECK(
            range.count > 0 && range.first + (range.count - 1) * range.step < range.of->shape.numRows(),
            "{}: rows beyond the last", first.name);
        joined.shape.dims[1] += range.count;
    }
    INGLE_TRY_ASSIGN(joined.side, joinSides(ranges));
    joined.decoder = std::make_shared<JoinedRows>(std::move(ranges));
    return joined;
}

}  // namespace ingle::tensor
