/// Encodes many rows at once.
#pragma once

#include <functional>

#include "engine/base/thread_pool.h"
#include "engine/quant/format.h"

namespace ingle::quant {

/// Encodes the rows that `out` has room for, from row `first` on: `fill(row, values)` gives the `elems`
/// values of one, on any of the pool's threads. out.size() is a multiple of a row's bytes.
void encodeRows(const QuantFormat& format, size_t elems, uint64_t first, std::span<std::byte> out,
                base::ThreadPool& threads,
                const std::function<void(uint64_t row, std::span<float> values)>& fill);

}  // namespace ingle::quant
