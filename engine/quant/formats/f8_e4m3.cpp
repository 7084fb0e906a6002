// F8_E4M3: one byte a block, a sign, four bits of exponent (bias 7) and three of fraction; no infinities, and
// 0x7F is not a number. Source: Micikevicius et al., "FP8 Formats for Deep Learning" (2022), section 3.
#include <array>
#include <cmath>
#include <limits>

#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant::f8_e4m3_format {
namespace {

float valueOf(uint32_t bits) {
    const auto exponent = static_cast<int>(bits >> 3 & 15);
    const auto fraction = static_cast<float>(bits & 7);
    float value = exponent > 0 ? std::ldexp(8 + fraction, exponent - 10) : std::ldexp(fraction, -9);
    if ((bits & 0x7F) == 0x7F) value = std::numeric_limits<float>::quiet_NaN();
    return bits & 0x80 ? -value : value;
}

void decodeRow(const std::byte* in, std::span<float> y) {
    static const auto kValues = [] {
        std::array<float, 256> values;
        for (uint32_t bits = 0; bits < values.size(); ++bits) values[bits] = valueOf(bits);
        return values;
    }();
    for (size_t i = 0; i < y.size(); ++i) y[i] = kValues[byteAt(in + i)];
}

}  // namespace

extern const QuantFormat format{.id = kF8E4M3,
                                .name = "F8_E4M3",
                                .blockElems = 1,
                                .blockBytes = 1,
                                .maxRelRmse = 0,
                                .encodeRow = nullptr,
                                .decodeRow = decodeRow,
                                .productVersion = 2};

}  // namespace ingle::quant::f8_e4m3_format
