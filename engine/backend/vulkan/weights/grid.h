/// The tables of values ("grids") that the blocks of the IQ1, IQ2 and IQ3 formats are indices of, as
/// shaders/grid.glsl reads them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ingle::backend::vulkan {

/// Two entries a word, the first in the low half; an entry's levels in order, from the lowest bits on: pairs
/// of bits for eight values, nibbles for four. levelOf(byte): of a value as `grid` has it, one byte each.
template <typename Entry, size_t kEntries, typename LevelOf>
constexpr std::array<uint32_t, kEntries / 2> packGrid(const Entry (&grid)[kEntries], LevelOf levelOf) {
    constexpr size_t kValues = sizeof(Entry);
    constexpr size_t kBits = 16 / kValues;
    std::array<uint32_t, kEntries / 2> words{};
    for (size_t i = 0; i < kEntries; ++i) {
        for (size_t e = 0; e < kValues; ++e) {
            const uint32_t level = levelOf(static_cast<uint8_t>(grid[i] >> 8 * e));
            words[i / 2] |= level << (i % 2 * 16 + e * kBits);
        }
    }
    return words;
}

/// Of the IQ2 formats: which of the magnitudes 8, 25 and 43.
constexpr uint8_t iq2Level(uint8_t magnitude) {
    return magnitude / 16;
}

}  // namespace ingle::backend::vulkan
