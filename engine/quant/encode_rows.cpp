#include "engine/quant/encode_rows.h"

#include <vector>

namespace ingle::quant {

void encodeRows(const QuantFormat& format, size_t elems, uint64_t first, std::span<std::byte> out,
                base::ThreadPool& threads,
                const std::function<void(uint64_t row, std::span<float> values)>& fill) {
    const size_t bytes = elems / format.blockElems * format.blockBytes;
    constexpr size_t kGrain = 4;
    threads.parallelFor(out.size() / bytes, kGrain, [&](size_t begin, size_t end, uint32_t) {
        std::vector<float> values(elems);
        for (size_t row = begin; row < end; ++row) {
            fill(first + row, values);
            format.encodeRow(values, out.data() + row * bytes);
        }
    });
}

}  // namespace ingle::quant
