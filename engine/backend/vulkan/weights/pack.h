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

}  // namespace ingle::backend::vulkan
