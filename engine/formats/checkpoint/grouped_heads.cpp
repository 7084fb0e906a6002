#include "engine/formats/checkpoint/grouped_heads.h"

#include "engine/formats/checkpoint/transposed_rows.h"
#include "engine/formats/tensor_directory.h"
#include "engine/tensor/joined_rows.h"

namespace ingle::formats {
namespace {

struct HeadSizes {
    uint64_t heads, kvHeads, dim;
    uint64_t rows() const { return (heads + 2 * kvHeads) * dim; }
};

Result<HeadSizes> headSizesOf(const Translation& t) {
    const auto countOf = [&](std::string_view key) {
        return t.model.metadata.u32(fmt::format("{}.attention.{}", t.family(), key));
    };
    HeadSizes sizes{};
    INGLE_TRY_ASSIGN(sizes.heads, countOf("head_count"));
    INGLE_TRY_ASSIGN(sizes.kvHeads, countOf("head_count_kv"));
    INGLE_TRY_ASSIGN(sizes.dim, countOf("key_length"));
    return sizes;
}

/// Rows first, first + 1 … of each period, which become a tensor of their own.
struct HeadRows {
    std::string_view part;
    uint64_t first, count;
};

std::string named(const Place& place, std::string_view part) {
    std::string name = place.name;
    return name.replace(name.find('*'), 1, part);
}

Status takeNumbers(Translation& t, const StoredTensor& stored, const Place& place,
                   std::span<const HeadRows> parts, uint64_t period) {
    INGLE_TRY_ASSIGN(const auto numbers, t.numbersOf(stored));
    for (const HeadRows& rows : parts) {
        std::vector<float> taken;
        for (uint64_t begin = rows.first; begin < numbers.size(); begin += period)
            for (uint64_t i = 0; i < rows.count; ++i) taken.push_back(numbers[begin + i]);
        INGLE_TRY(t.make(named(place, rows.part), tensor::Shape::of(taken.size()), taken));
    }
    return {};
}

Status takeRows(Translation& t, const tensor::Tensor& tensor, const Place& place,
                std::span<const HeadRows> parts, uint64_t period) {
    const auto whole = std::make_shared<const tensor::Tensor>(tensor);
    const uint64_t numRuns = whole->shape.numRows() / period;
    for (const HeadRows& rows : parts) {
        tensor::Tensor part = *whole;
        if (whole->decoder || whole->side) {
            std::vector<tensor::RowRange> ranges;
            for (uint64_t run = 0; run < numRuns; ++run)
                ranges.push_back({whole, run * period + rows.first, rows.count});
            INGLE_TRY_ASSIGN(part, tensor::joinRows(std::move(ranges)));
        } else {
            auto table = std::make_shared<tensor::RowTable>();
            table->rowsPerRun = rows.count;
            for (uint64_t run = 0; run < numRuns; ++run)
                table->runs.push_back(whole->row(run * period + rows.first));
            part.table = std::move(table);
            part.data = {};
        }
        part.name = named(place, rows.part);
        part.shape = tensor::Shape::of(whole->shape.rowElems(), numRuns * rows.count);
        INGLE_TRY(addTensor(t.model, std::move(part)));
    }
    return {};
}

Status checkRows(const StoredTensor& stored, uint64_t numRows, const HeadSizes& sizes, uint64_t numRuns) {
    if (sizes.dim > 0 && numRuns > 0 && sizes.heads % numRuns == 0 && numRows == sizes.rows()) return {};
    return fail(ErrorCode::Corrupt, "tensor '{}' of {} rows does not hold {} and {} heads of {}",
                shown(stored.name), numRows, sizes.heads, sizes.kvHeads, sizes.dim);
}

/// The rows of queries, keys and values in each of so many runs.
Status takeParts(Translation& t, const StoredTensor& stored, const Place& place, const HeadSizes& sizes,
                 uint64_t numRuns) {
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    const bool isVector = shape.numRows() == 1;
    INGLE_TRY(checkRows(stored, isVector ? shape.rowElems() : shape.numRows(), sizes, numRuns));
    const uint64_t queries = sizes.heads / numRuns * sizes.dim, keys = sizes.kvHeads / numRuns * sizes.dim;
    const HeadRows parts[] = {{"q", 0, queries}, {"k", queries, keys}, {"v", queries + keys, keys}};
    if (isVector) return takeNumbers(t, stored, place, parts, queries + 2 * keys);
    INGLE_TRY_ASSIGN(const tensor::Tensor tensor, t.tensorOf(stored, place.name, shape));
    return takeRows(t, tensor, place, parts, queries + 2 * keys);
}

}  // namespace

Status splitGroupedHeads(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const HeadSizes sizes, headSizesOf(t));
    return takeParts(t, stored, place, sizes, sizes.kvHeads);
}

Status splitHeads(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const HeadSizes sizes, headSizesOf(t));
    return takeParts(t, stored, place, sizes, 1);
}

Status splitTransposedHeads(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const HeadSizes sizes, headSizesOf(t));
    INGLE_TRY_ASSIGN(const tensor::Tensor tensor, transposed(stored));
    INGLE_TRY(checkRows(stored, tensor.shape.numRows(), sizes, 1));
    const uint64_t queries = sizes.heads * sizes.dim, keys = sizes.kvHeads * sizes.dim;
    const HeadRows parts[] = {{"q", 0, queries}, {"k", queries, keys}, {"v", queries + keys, keys}};
    return takeRows(t, tensor, place, parts, sizes.rows());
}

}  // namespace ingle::formats
