#include "engine/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ingle::base {
namespace {

/// The value of a half from its definition, in double arithmetic.
double halfByDefinition(uint16_t half) {
    const int exponent = (half >> 10) & 31;
    const int mantissa = half & 1023;
    const double sign = half & 0x8000 ? -1 : 1;
    if (exponent == 31) return mantissa ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    if (exponent == 0) return sign * std::ldexp(mantissa, -24);
    return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(Half, everyHalfDecodesAsDefinedAndComesBack) {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        const auto half = static_cast<uint16_t>(bits);
        const float value = f16ToF32(half);
        const double expected = halfByDefinition(half);
        if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(value)) << bits;
            EXPECT_TRUE(std::isnan(f16ToF32(f32ToF16(value)))) << bits;
        } else {
            EXPECT_EQ(value, expected) << bits;
            EXPECT_EQ(std::signbit(value), std::signbit(expected)) << bits;
            EXPECT_EQ(f32ToF16(value), half) << bits;
        }
    }
}

TEST(Half, midpointsRoundToEvenAndNeighboursToTheNearest) {
    for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
        const float low = f16ToF32(static_cast<uint16_t>(bits));
        const float high = bits == 0x7BFF ? 65536.0F : f16ToF32(static_cast<uint16_t>(bits + 1));
        const float middle = (low + high) / 2;
        const auto even = static_cast<uint16_t>(bits & 1 ? bits + 1 : bits);
        EXPECT_EQ(f32ToF16(middle), even) << bits;
        EXPECT_EQ(f32ToF16(std::nextafter(middle, 0.0F)), bits) << bits;
        EXPECT_EQ(f32ToF16(std::nextafter(middle, 1e9F)), bits + 1) << bits;
        EXPECT_EQ(f32ToF16(-middle), even | 0x8000) << bits;
    }
}

TEST(Half, outOfRangeBecomesInfinityOrZero) {
    EXPECT_EQ(f32ToF16(1e30F), 0x7C00);
    EXPECT_EQ(f32ToF16(-std::numeric_limits<float>::infinity()), 0xFC00);
    EXPECT_EQ(f32ToF16(1e-30F), 0);
    EXPECT_EQ(f32ToF16(-1e-30F), 0x8000);
}

TEST(Bfloat16, everyValueComesBack) {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        const float value = bf16ToF32(static_cast<uint16_t>(bits));
        if (std::isnan(value))
            EXPECT_EQ(f32ToBf16(value), bits | 64) << bits;
        else
            EXPECT_EQ(f32ToBf16(value), bits) << bits;
    }
}

TEST(Bfloat16, roundsToNearestEven) {
    EXPECT_EQ(f32ToBf16(std::bit_cast<float>(0x3F808000U)), 0x3F80);
    EXPECT_EQ(f32ToBf16(std::bit_cast<float>(0x3F808001U)), 0x3F81);
    EXPECT_EQ(f32ToBf16(std::bit_cast<float>(0x3F818000U)), 0x3F82);
    EXPECT_EQ(f32ToBf16(std::numeric_limits<float>::max()), 0x7F80);
}

}  // namespace
}  // namespace ingle::base
