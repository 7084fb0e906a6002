/// Groups of values of 4 or 8 bits with a scale and a zero, as GPTQ, AWQ and compressed-tensors have them.
/// 0: u32, whose upper 19 bits are those of the scale as a binary32 (a half, or the upper half of a binary32:
/// neither has more), and whose lower 13 are the zero; 4: levels. Of 4 bits, each 16 bytes hold 32 values,
/// the first 16 in the low nibbles; of 8 bits they follow each other. value = scale * (level - zero).
/// Sources: Frantar et al., "GPTQ" (2023); Lin et al., "AWQ" (2024).
#pragma once

#include <bit>

#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant {

inline constexpr uint32_t kGroupHeadBytes = 4;
inline constexpr uint32_t kGroupZeroBits = (1U << 13) - 1;

/// Whether nothing of a scale is lost.
inline bool fitsGroupHead(float scale) {
    return (std::bit_cast<uint32_t>(scale) & kGroupZeroBits) == 0;
}

/// scale: fitsGroupHead(); zero: of 13 bits.
inline void storeGroupHead(std::byte* block, float scale, uint32_t zero) {
    storeU32(block, std::bit_cast<uint32_t>(scale) | zero);
}

inline float groupScaleAt(const std::byte* block) {
    return std::bit_cast<float>(u32At(block) & ~kGroupZeroBits);
}

inline int32_t groupZeroAt(const std::byte* block) {
    return static_cast<int32_t>(u32At(block) & kGroupZeroBits);
}

/// Level `e` of a block.
template <uint32_t kBits>
uint32_t groupLevel(const std::byte* block, size_t e) {
    const std::byte* levels = block + kGroupHeadBytes;
    return kBits == 8 ? byteAt(levels + e) : nibbleOf32(levels + e / 32 * 16, e % 32);
}

/// Stores levels [0, elems), each below 2^bits.
template <uint32_t kBits>
void storeGroupLevels(std::byte* block, const uint8_t* levels, size_t elems) {
    std::byte* out = block + kGroupHeadBytes;
    if constexpr (kBits == 8) {
        std::memcpy(out, levels, elems);
    } else {
        for (size_t e = 0; e < elems; e += 32)
            storeNibbles32(out + e / 2, [&](size_t i) { return levels[e + i]; });
    }
}

template <uint32_t kBits, uint32_t kElems>
struct GroupBlock {
    static constexpr uint32_t kBytes = kGroupHeadBytes + kElems * kBits / 8;

    static void decodeRow(const std::byte* in, std::span<float> y) {
        decodeBlocks<kElems, kBytes>(in, y, [](const std::byte* block, float* values) {
            const float scale = groupScaleAt(block);
            const int32_t zero = groupZeroAt(block);
            for (size_t e = 0; e < kElems; ++e)
                values[e] =
                    scale * static_cast<float>(static_cast<int32_t>(groupLevel<kBits>(block, e)) - zero);
        });
    }
    static constexpr QuantFormat format(std::string_view name) {
        return {.id = groupQuant(kBits, kElems),
                .name = name,
                .blockElems = kElems,
                .blockBytes = kBytes,
                .maxRelRmse = 0,
                .encodeRow = nullptr,
                .decodeRow = decodeRow};
    }
};

}  // namespace ingle::quant
