/// The order of small fields in the planes of repacked weights; shaders/weights.glsl reads them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/backend/vulkan/weights/weight_format.h"

namespace ingle::backend::vulkan {

/// The levels of a group, as a file's format counts them.
using Levels = std::array<uint8_t, kWeightGroup>;

/// levelAt(e): level `e` of the group.
template <typename LevelAt>
Levels levelsFrom(LevelAt levelAt) {
    Levels levels;
    for (uint32_t e = 0; e < kWeightGroup; ++e) levels[e] = static_cast<uint8_t>(levelAt(e));
    return levels;
}

/// 16 bytes: byte b of word j holds level 8j + b in its low half and level 8j + 4 + b in its high half.
inline void packNibbles(const Levels& levels, std::byte* out) {
    for (size_t at = 0; at < 16; ++at) {
        const size_t low = at / 4 * 8 + at % 4;
        out[at] = static_cast<std::byte>((levels[low] & 15) | (levels[low + 4] & 15) << 4);
    }
}

/// 4 bytes: bit `bit` of each level, in order.
inline void packBits(const Levels& levels, uint32_t bit, std::byte* out) {
    uint32_t word = 0;
    for (size_t e = 0; e < levels.size(); ++e) word |= (levels[e] >> bit & 1U) << e;
    std::memcpy(out, &word, sizeof word);
}

/// 8 bytes: bits `bit` and `bit` + 1 of each level, in order.
inline void packPairs(const Levels& levels, uint32_t bit, std::byte* out) {
    for (size_t at = 0; at < 8; ++at) {
        uint32_t byte = 0;
        for (size_t e = 0; e < 4; ++e) byte |= (levels[4 * at + e] >> bit & 3U) << 2 * e;
        out[at] = static_cast<std::byte>(byte);
    }
}

/// Calls `repack(block, i, group)` for each group of a row: group `i` of its block. A row is whole blocks.
template <uint32_t kBlockElems, uint32_t kBlockBytes, typename Repack>
void repackGroups(const std::byte* row, uint32_t k, Repack repack) {
    constexpr uint32_t kGroups = kBlockElems / kWeightGroup;
    for (uint32_t group = 0; group < k / kWeightGroup; ++group)
        repack(row + size_t{kBlockBytes} * (group / kGroups), group % kGroups, group);
}

/// Copies bytes [offset, offset + size) of each block to a plane.
template <uint32_t kBlockElems, uint32_t kBlockBytes>
void copyFields(const std::byte* row, uint32_t k, uint32_t offset, uint32_t size, std::byte* plane) {
    for (uint32_t block = 0; block < k / kBlockElems; ++block)
        std::memcpy(plane + size_t{size} * block, row + size_t{kBlockBytes} * block + offset, size);
}

}  // namespace ingle::backend::vulkan
