/// Blocks of 32 values in files: one or two halves, fifth bits where there are five, nibbles.
#pragma once

#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan {

/// Planes: nibbles, halves. kHalves: bytes of the halves of a block.
template <uint32_t kHalves>
void repackFourBits(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    constexpr uint32_t kBlockBytes = kHalves + 16;
    copyFields<kWeightGroup, kBlockBytes>(row, k, 0, kHalves, planes[1]);
    repackGroups<kWeightGroup, kBlockBytes>(row, k, [&](const std::byte* block, uint32_t, uint32_t group) {
        packNibbles(levelsFrom([&](uint32_t e) { return quant::nibbleOf32(block + kHalves, e); }),
                    planes[0] + 16 * group);
    });
}

/// Planes: nibbles, fifth bits, halves.
template <uint32_t kHalves>
void repackFiveBits(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    constexpr uint32_t kBlockBytes = kHalves + 4 + 16;
    copyFields<kWeightGroup, kBlockBytes>(row, k, 0, kHalves, planes[2]);
    copyFields<kWeightGroup, kBlockBytes>(row, k, kHalves, 4, planes[1]);
    repackGroups<kWeightGroup, kBlockBytes>(row, k, [&](const std::byte* block, uint32_t, uint32_t group) {
        packNibbles(levelsFrom([&](uint32_t e) { return quant::nibbleOf32(block + kHalves + 4, e); }),
                    planes[0] + 16 * group);
    });
}

}  // namespace ingle::backend::vulkan
