/// The blocks of IQ3_XXS and IQ3_S: value = d * (2 * scale + 1) * unit * grid value, with its sign.
#pragma once

#include "engine/quant/grid_block.h"
#include "engine/quant/grids/iq3_s.h"
#include "engine/quant/grids/iq3_xxs.h"

namespace ingle::quant {

/// 0: f16 d, 2: 64 grid indices, 66: eight u32 of 4 sign patterns of 7 bits and a 4-bit scale on top. Grid
/// values: 4, 12 … 52, and 62.
struct Iq3XxsBlock {
    static constexpr size_t kBytes = 98;
    static constexpr float kUnit = 0.25F;

    static SignedGroup group(const std::byte* block, size_t i) {
        const uint32_t signs = u32At(block + 66 + i / 4 * 4);
        return {joinGrid(gridEntry(block, 2 * i), gridEntry(block, 2 * i + 1)),
                signsOf7Bits(signs >> (i % 4 * 7)), signs >> 28};
    }

  private:
    static uint32_t gridEntry(const std::byte* block, size_t i) { return kIq3XxsGrid[byteAt(block + 2 + i)]; }
};

/// 0: f16 d, 2: 64 low bytes of grid indices, 66: 8 bytes of their ninth bits, 74: 32 bytes of signs, 106: 4
/// bytes of 4-bit scales of 32 values. Grid values: 1, 3 … 15.
struct Iq3SBlock {
    static constexpr size_t kBytes = 110;
    static constexpr float kUnit = 1;

    static SignedGroup group(const std::byte* block, size_t i) {
        return {joinGrid(gridEntry(block, 2 * i), gridEntry(block, 2 * i + 1)), byteAt(block + 74 + i),
                nibbleAt(block + 106, i / 4)};
    }

  private:
    static uint32_t gridEntry(const std::byte* block, size_t i) {
        const uint32_t ninthBit = byteAt(block + 66 + i / 8) >> (i % 8) & 1;
        return kIq3SGrid[byteAt(block + 2 + i) | ninthBit << 8];
    }
};

}  // namespace ingle::quant
