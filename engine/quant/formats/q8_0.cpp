// Q8_0: 0: f16 d, 2: 32 signed bytes; value = byte * d.
#include <algorithm>
#include <cmath>

#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant::q8_0_format {
namespace {

constexpr size_t kElems = 32;
constexpr size_t kBytes = 34;

void encodeBlock(const float* x, const float*, std::byte* out) {
    float largest = 0;
    for (size_t e = 0; e < kElems; ++e) largest = std::max(largest, std::abs(x[e]));
    const float d = largest / 127;
    const float inverse = d != 0 ? 1 / d : 0;
    storeHalf(out, d);
    for (size_t e = 0; e < kElems; ++e) {
        // Clamped as a float, NaN to -127: converting one outside the range of the integer is undefined.
        const float q = std::fmin(std::fmax(std::round(x[e] * inverse), -127.0F), 127.0F);
        out[2 + e] = static_cast<std::byte>(static_cast<int32_t>(q));
    }
}

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t e = 0; e < kElems; ++e) y[e] = static_cast<float>(signedByteAt(block + 2 + e)) * d;
}

void encodeRow(std::span<const float> x, std::span<const float>, std::byte* out) {
    encodeBlocks<kElems, kBytes, encodeBlock>(x, {}, out);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kQ8_0,
                                .name = "Q8_0",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0.01,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow};

}  // namespace ingle::quant::q8_0_format
