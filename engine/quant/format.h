/// One unit per block format: engine/quant/formats/<name>.cpp defines `extern const QuantFormat format` in
/// the namespace `<name>_format`. Layouts and formulas: ggml's block formats (ggml-common.h, ggml-quants.c);
/// docs/add-a-format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/quant/quant.h"
#include "ingle/result.h"

namespace ingle::quant {

/// How `blockElems` consecutive values of a row are stored in `blockBytes` bytes. Rows are whole blocks;
/// blocks have no alignment (rwkv.cpp files place them at any byte).
struct QuantFormat {
    Quant id;
    std::string_view name;  ///< ggml's name: "Q4_K"
    uint32_t blockElems;
    uint32_t blockBytes;
    /// Largest relative RMSE, sqrt(sum((a-b)^2)/sum(a^2)), of encode+decode on Gaussian rows; 0 means exact.
    /// Formats without an encoder state 0 here and leave encodeRow null.
    double maxRelRmse;
    /// x.size() is a multiple of blockElems; out holds x.size()/blockElems blocks. `importance` says how much
    /// the square of each value's error matters, none below 0; empty: all alike. Null: this version only
    /// reads it.
    void (*encodeRow)(std::span<const float> x, std::span<const float> importance, std::byte* out);
    /// y.size() is a multiple of blockElems. Pure, any thread.
    void (*decodeRow)(const std::byte* in, std::span<float> y);
    /// Raised when products with matrices of the format give other numbers than in earlier versions: states
    /// that those have saved are not continued.
    uint32_t productVersion = 1;
};

/// All formats, sorted by file name (generated from the folder).
std::span<const QuantFormat* const> allFormats();

/// Null when this version does not know it.
const QuantFormat* findFormat(Quant id);
const QuantFormat* findFormat(std::string_view name);

/// Bytes of one row of `elems` values. Errors: Corrupt when elems is not a multiple of the block size or
/// overflows.
Result<size_t> rowBytes(const QuantFormat& format, uint64_t elems);

}  // namespace ingle::quant
