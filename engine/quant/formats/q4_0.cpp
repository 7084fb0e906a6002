// Q4_0: 0: f16 d, 2: 16 bytes of nibbles; value = (nibble - 8) * d.
#include <algorithm>
#include <cmath>

#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 32;
constexpr size_t kBytes = 18;

void encodeBlock(const float* x, std::byte* out) {
    // The value of largest magnitude becomes nibble 0, the end of the range that reaches one step further.
    const float extreme =
        *std::max_element(x, x + kElems, [](float a, float b) { return std::abs(a) < std::abs(b); });
    const float d = extreme / -8;
    const float inverse = d != 0 ? 1 / d : 0;
    const auto nibble = [&](float value) {
        // Clamped as a float, NaN to 0: converting one outside the range of the integer is undefined.
        return static_cast<uint32_t>(std::fmin(std::fmax(value * inverse + 8.5F, 0.0F), 15.0F));
    };
    storeHalf(out, d);
    for (size_t j = 0; j < 16; ++j)
        out[2 + j] = static_cast<std::byte>(nibble(x[j]) | nibble(x[j + 16]) << 4);
}

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t e = 0; e < kElems; ++e)
        y[e] = static_cast<float>(static_cast<int32_t>(nibbleOf32(block + 2, e)) - 8) * d;
}

void encodeRow(std::span<const float> x, std::byte* out) {
    encodeBlocks<kElems, kBytes>(x, out, encodeBlock);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat q4_0_format;
const QuantFormat q4_0_format{.id = {2},
                              .name = "Q4_0",
                              .blockElems = kElems,
                              .blockBytes = kBytes,
                              .maxRelRmse = 0.1,
                              .encodeRow = encodeRow,
                              .decodeRow = decodeRow};

}  // namespace ingle::quant
