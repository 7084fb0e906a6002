#include "engine/quant/encode_rows.h"

#include <vector>

namespace ingle::quant {

void encodeRows(const QuantFormat& format, const RowsToEncode& rows, uint64_t first, std::span<std::byte> out,
                base::ThreadPool& threads) {
    const size_t bytes = rows.elems / format.blockElems * format.blockBytes;
    constexpr size_t kGrain = 4;
    threads.parallelFor(out.size() / bytes, kGrain, [&](size_t begin, size_t end, uint32_t) {
        std::vector<float> values(rows.elems);
        for (size_t row = begin; row < end; ++row) {
            rows.fill(first + row, values);
            const auto importance = rows.importance ? rows.importance(first + row) : std::span<const float>();
            format.encodeRow(values, importance, out.data() + row * bytes);
        }
    });
}

}  // namespace ingle::quant
