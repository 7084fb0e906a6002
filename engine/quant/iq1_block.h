/// The blocks of IQ1_S and IQ1_M: value = d * (2 * scale + 1) * (grid value +- 0.125).
#pragma once

#include "engine/quant/grid_block.h"
#include "engine/quant/grids/iq1_s.h"

namespace ingle::quant {

/// 0: f16 d, 2: 32 low bytes of grid indices, 34: eight u16: 4 times 3 upper bits of the indices, a 3-bit
/// scale, and the sign of the shift.
struct Iq1SBlock {
    static constexpr size_t kBytes = 50;

    static uint16_t d(const std::byte* block) { return u16At(block); }
    static ShiftedGroup group(const std::byte* block, size_t i) {
        const uint32_t four = u16At(block + 34 + i / 4 * 2);
        const uint32_t high = four >> (i % 4 * 3) & 7;
        return {kIq1SGrid[byteAt(block + 2 + i) | high << 8], (four & 0x8000) != 0, four >> 12 & 7};
    }
};

/// 0: 32 low bytes of grid indices, 32: 16 bytes of nibbles: 3 upper bits of an index and the sign of the
/// shift, 48: four u16: 4 times a 3-bit scale of 16 values, and on top a nibble of the f16 d.
struct Iq1MBlock {
    static constexpr size_t kBytes = 56;

    static uint16_t d(const std::byte* block) {
        uint32_t bits = 0;
        for (size_t i = 0; i < 4; ++i)
            bits |= static_cast<uint32_t>(u16At(block + 48 + 2 * i) >> 12) << (4 * i);
        return static_cast<uint16_t>(bits);
    }
    static ShiftedGroup group(const std::byte* block, size_t i) {
        const uint32_t high = nibbleAt(block + 32, i);
        const uint32_t scale = u16At(block + 48 + i / 8 * 2) >> (i % 8 / 2 * 3) & 7;
        return {kIq1SGrid[byteAt(block + i) | (high & 7) << 8], (high & 8) != 0, scale};
    }
};

}  // namespace ingle::quant
