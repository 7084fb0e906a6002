/// The blocks of TQ1_0 and TQ2_0: value = (level - 1) * d.
#pragma once

#include <array>

#include "engine/quant/block.h"

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

  private:
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
};

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
