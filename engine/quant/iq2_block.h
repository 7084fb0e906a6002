/// The blocks of IQ2_XXS, IQ2_XS and IQ2_S: value = d * (2 * scale + 1) / 8 * grid value (8, 25 or 43), with
/// its sign.
#pragma once

#include "engine/quant/grid_block.h"
#include "engine/quant/grids/iq2_s.h"
#include "engine/quant/grids/iq2_xs.h"
#include "engine/quant/grids/iq2_xxs.h"

namespace ingle::quant {

/// 0: f16 d, 2: eight times 8 bytes: 4 grid indices, then a u32 of 4 sign patterns of 7 bits and a 4-bit
/// scale on top.
struct Iq2XxsBlock {
    static constexpr size_t kBytes = 66;
    static constexpr float kUnit = 0.125F;

    static SignedGroup group(const std::byte* block, size_t i) {
        const std::byte* four = block + 2 + i / 4 * 8;
        const uint32_t signs = u32At(four + 4);
        return {kIq2XxsGrid[byteAt(four + i % 4)], signsOf7Bits(signs >> (i % 4 * 7)), signs >> 28};
    }
};

/// 0: f16 d, 2: 32 u16, each a grid index of 9 bits and a sign pattern of 7, 66: 8 bytes of 4-bit scales of
/// 16 values.
struct Iq2XsBlock {
    static constexpr size_t kBytes = 74;
    static constexpr float kUnit = 0.125F;

    static SignedGroup group(const std::byte* block, size_t i) {
        const uint32_t q = u16At(block + 2 + 2 * i);
        return {kIq2XsGrid[q & 511], signsOf7Bits(q >> 9), nibbleAt(block + 66, i / 2)};
    }
};

/// 0: f16 d, 2: 32 low bytes of grid indices, 34: 32 bytes of signs, 66: 8 bytes of the indices' upper bit
/// pairs, 74: 8 bytes of 4-bit scales of 16 values.
struct Iq2SBlock {
    static constexpr size_t kBytes = 82;
    static constexpr float kUnit = 0.125F;

    static SignedGroup group(const std::byte* block, size_t i) {
        const uint32_t high = byteAt(block + 66 + i / 4) >> (i % 4 * 2) & 3;
        return {kIq2SGrid[byteAt(block + 2 + i) | high << 8], byteAt(block + 34 + i),
                nibbleAt(block + 74, i / 2)};
    }
};

}  // namespace ingle::quant
