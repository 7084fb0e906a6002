/// The blocks of TQ1_0 and TQ2_0: value = (level - 1) * d.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "engine/quant/block.h"
#include "engine/quant/scale_search.h"

namespace ingle::quant {

inline constexpr size_t kTernaryBlockElems = 256;

/// 0, 1 or 2 each; TQ2_0 has room for 3.
using TernaryLevels = std::array<uint8_t, kTernaryBlockElems>;

/// 0: 48 bytes of five trits each, 48: 4 bytes of four trits each, 52: f16 d. A byte is the fraction, in
/// 256ths and rounded up, whose base-3 digits are its trits.
struct Tq1Block {
    static constexpr size_t kBytes = 54;
    static constexpr size_t kD = 52;

    static TernaryLevels levels(const std::byte* block) {
        TernaryLevels unpacked;
        uint8_t* next = unpack(block, 32, 5, unpacked.data());
        next = unpack(block + 32, 16, 5, next);
        unpack(block + 48, 4, 4, next);
        return unpacked;
    }

    static void setLevels(const TernaryLevels& levels, std::byte* block) {
        const uint8_t* next = pack(levels.data(), 32, 5, block);
        next = pack(next, 16, 5, block + 32);
        pack(next, 4, 4, block + 48);
    }

  private:
    static const uint8_t* pack(const uint8_t* levels, size_t width, size_t tritsPerByte, std::byte* bytes) {
        constexpr uint32_t kDigits = 5;  // a byte of four has a last digit of 0
        constexpr uint32_t kPowerOf3 = 243;
        for (size_t i = 0; i < width; ++i) {
            uint32_t value = 0;
            for (size_t n = 0; n < kDigits; ++n)
                value = 3 * value + (n < tritsPerByte ? levels[n * width + i] : 0);
            bytes[i] = static_cast<std::byte>((value * 256 + kPowerOf3 - 1) / kPowerOf3);
        }
        return levels + width * tritsPerByte;
    }
    /// `width` bytes whose first trits are the first levels, whose second trits follow, and so on.
    static uint8_t* unpack(const std::byte* bytes, size_t width, size_t tritsPerByte, uint8_t* out) {
        constexpr uint32_t kPowersOf3[] = {1, 3, 9, 27, 81};
        for (size_t n = 0; n < tritsPerByte; ++n) {
            for (size_t i = 0; i < width; ++i) {
                const uint32_t fraction = byteAt(bytes + i) * kPowersOf3[n] & 255;
                *out++ = static_cast<uint8_t>(fraction * 3 >> 8);
            }
        }
        return out;
    }
};

/// 0: 64 bytes of bit pairs, 64: f16 d.
struct Tq2Block {
    static constexpr size_t kBytes = 66;
    static constexpr size_t kD = 64;

    static TernaryLevels levels(const std::byte* block) {
        TernaryLevels unpacked;
        for (size_t e = 0; e < unpacked.size(); ++e)
            unpacked[e] = static_cast<uint8_t>(bitPairOf256(block, e));
        return unpacked;
    }
    static void setLevels(const TernaryLevels& levels, std::byte* block) {
        std::fill_n(block, 64, std::byte{0});
        for (size_t e = 0; e < levels.size(); ++e) addBitPairOf256(block, e, levels[e]);
    }
};

/// The best scale of all: levels other than 0 belong to the values of largest magnitude, for some number of
/// them, and with n of these the error falls by (sum of w|x|)² / (sum of w).
inline float fitTernary(const float* x, const float* w) {
    std::array<size_t, kTernaryBlockElems> order;
    std::iota(order.begin(), order.end(), size_t{0});
    const auto magnitude = [x](size_t e) { return std::isfinite(x[e]) ? std::abs(x[e]) : 0; };
    std::ranges::sort(order, [&](size_t a, size_t b) { return magnitude(a) > magnitude(b); });
    float wx = 0, sum = 0, best = 0, bestGain = 0;
    for (const size_t e : order) {
        wx += w[e] * magnitude(e);
        sum += w[e];
        if (!(sum > 0 && wx * wx > bestGain * sum)) continue;
        best = wx / sum;
        bestGain = best * wx;
    }
    return best;
}

template <typename Block>
void encodeTernaryBlock(const float* x, const float* w, std::byte* block) {
    const float d = storedHalf(fitTernary(x, w));
    const float inverse = d != 0 ? 1 / d : 0;
    TernaryLevels levels;
    for (size_t e = 0; e < levels.size(); ++e)
        levels[e] = static_cast<uint8_t>(nearestLevel(x[e] * inverse, -1, 1) + 1);
    Block::setLevels(levels, block);
    storeHalf(block + Block::kD, d);
}

/// Block: one of the above.
template <typename Block>
void encodeTernary(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    encodeBlocks<kTernaryBlockElems, Block::kBytes, encodeTernaryBlock<Block>>(x, importance, out);
}

/// Block: one of the above.
template <typename Block>
void decodeTernary(const std::byte* in, std::span<float> y) {
    decodeBlocks<kTernaryBlockElems, Block::kBytes>(in, y, [](const std::byte* block, float* values) {
        const float d = halfAt(block + Block::kD);
        for (const uint8_t level : Block::levels(block))
            *values++ = static_cast<float>(static_cast<int32_t>(level) - 1) * d;
    });
}

}  // namespace ingle::quant
