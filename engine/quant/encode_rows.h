/// Encodes many rows at once.
#pragma once

#include <functional>

#include "engine/base/thread_pool.h"
#include "engine/quant/format.h"

namespace ingle::quant {

/// Where the rows of a tensor come from, on any of the pool's threads.
struct RowsToEncode {
    size_t elems;  ///< of a row
    std::function<void(uint64_t row, std::span<float> values)> fill;
    /// See QuantFormat::encodeRow; empty: every value matters alike in all rows.
    std::function<std::span<const float>(uint64_t row)> importance = {};
};

/// Encodes the rows that `out` has room for, from row `first` on. out.size() is a multiple of a row's bytes.
void encodeRows(const QuantFormat& format, const RowsToEncode& rows, uint64_t first, std::span<std::byte> out,
                base::ThreadPool& threads);

}  // namespace ingle::quant
