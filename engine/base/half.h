/// Conversions between float32 and the two 16-bit floats of model files, in software.
/// Source: IEEE 754-2008 binary16; bfloat16 is the upper half of binary32. Rounding is to nearest, ties to
/// even.
#pragma once

#include <bit>
#include <cstdint>

namespace ingle::base {

inline float f16ToF32(uint16_t half) {
    const uint32_t sign = uint32_t{half} >> 15 << 31;
    const uint32_t exponent = (half >> 10) & 0x1F;
    const uint32_t mantissa = half & 0x3FF;
    if (exponent == 0) {
        // Zero and subnormals are whole multiples of 2^-24, which float32 holds exactly.
        const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
        return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
    }
    const uint32_t exponentBits = exponent == 0x1F ? 0xFF : exponent + (127 - 15);
    return std::bit_cast<float>(sign | exponentBits << 23 | mantissa << 13);
}

/// Values of 65520 and more become infinity; subnormals are kept; a NaN stays one (made quiet).
inline uint16_t f32ToF16(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t sign = bits >> 31 << 15;
    const uint32_t magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) return static_cast<uint16_t>(sign | 0x7E00 | (magnitude >> 13 & 0x3FF));
    if (magnitude >= 0x477FF000) return static_cast<uint16_t>(sign | 0x7C00);
    if (magnitude < 0x38800000) {
        // Below 2^-14. One unit in the last place of 0.5 is 2^-24, so the addition rounds to subnormal steps.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
        return static_cast<uint16_t>(sign |
                                     (std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5F)));
    }
    const uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
    return static_cast<uint16_t>(sign | ((rounded >> 13) - ((127 - 15) << 10)));
}

inline float bf16ToF32(uint16_t upper) {
    return std::bit_cast<float>(uint32_t{upper} << 16);
}

/// Values past the largest bfloat16 become infinity; a NaN stays one (made quiet).
inline uint16_t f32ToBf16(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<uint16_t>(bits >> 16 | 64);
    return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

}  // namespace ingle::base
