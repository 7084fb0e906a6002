/// What the IQ1, IQ2 and IQ3 block formats share: 256 values in 32 groups of eight, each from grid entries.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/quant/block.h"

namespace ingle::quant {

inline constexpr size_t kGridBlockElems = 256;
inline constexpr size_t kGridGroupElems = 8;

/// Entry of eight values from two entries of four.
inline uint64_t joinGrid(uint32_t first, uint32_t second) {
    return first | uint64_t{second} << 32;
}

/// Value `e` of an entry, as a byte.
inline uint8_t gridByte(uint64_t entry, size_t e) {
    return static_cast<uint8_t>(entry >> (8 * e));
}

/// Signs of eight values from seven stored bits (more may lie above them): the number of minus signs is even.
inline uint32_t signsOf7Bits(uint32_t bits) {
    bits &= 127;
    return bits | static_cast<uint32_t>(std::popcount(bits) & 1) << 7;
}

/// Eight values: magnitude * d * (2 * scale + 1) * the format's unit, with their signs. Exact as floats: d
/// has 11 bits, the factor of the scale 5 and a magnitude 6.
struct SignedGroup {
    uint64_t magnitudes;  ///< unsigned bytes
    uint32_t signs;       ///< bit set: negative
    uint32_t scale;       ///< 4 bits
};

/// Block: kBytes, kUnit and group(block, i), the i-th of 32; it begins with d.
template <typename Block>
void decodeSignedGroups(const std::byte* in, std::span<float> y) {
    decodeBlocks<kGridBlockElems, Block::kBytes>(in, y, [](const std::byte* block, float* values) {
        const float d = halfAt(block);
        for (size_t i = 0; i < kGridBlockElems / kGridGroupElems; ++i) {
            const SignedGroup group = Block::group(block, i);
            const float step = d * static_cast<float>(2 * group.scale + 1) * Block::kUnit;
            for (size_t e = 0; e < kGridGroupElems; ++e) {
                const float magnitude = step * static_cast<float>(gridByte(group.magnitudes, e));
                *values++ = (group.signs >> e & 1) != 0 ? -magnitude : magnitude;
            }
        }
    });
}

/// Eight values: d * (2 * scale + 1) * (value of -1, 0 or 1, and an eighth more or less). Exact as floats.
struct ShiftedGroup {
    uint64_t values;  ///< signed bytes
    bool shiftsDown;
    uint32_t scale;  ///< 3 bits
};

/// Block: kBytes, d(block), bits of a half, and group(block, i), the i-th of 32.
template <typename Block>
void decodeShiftedGroups(const std::byte* in, std::span<float> y) {
    decodeBlocks<kGridBlockElems, Block::kBytes>(in, y, [](const std::byte* block, float* values) {
        const float d = base::f16ToF32(Block::d(block));
        for (size_t i = 0; i < kGridBlockElems / kGridGroupElems; ++i) {
            const ShiftedGroup group = Block::group(block, i);
            const float step = d * static_cast<float>(2 * group.scale + 1);
            const float shift = group.shiftsDown ? -0.125F : 0.125F;
            for (size_t e = 0; e < kGridGroupElems; ++e)
                *values++ =
                    step * (static_cast<float>(static_cast<int8_t>(gridByte(group.values, e))) + shift);
        }
    });
}

}  // namespace ingle::quant
