/// TQ1_0 and TQ2_0 for shaders/quant/tq.glsl: pairs of bits; halves d for 256 values.
#pragma once

#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/tq_block.h"

namespace ingle::backend::vulkan {

/// Block: of engine/quant/tq_block.h.
template <typename Block>
void repackTernaryRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    constexpr uint32_t kElems = quant::kTernaryBlockElems;
    constexpr uint32_t kGroups = kElems / kWeightGroup;
    copyFields<kElems, Block::kBytes>(row, k, Block::kD, 2, planes[1]);
    for (uint32_t block = 0; block < k / kElems; ++block) {
        const quant::TernaryLevels all = Block::levels(row + Block::kBytes * block);
        for (uint32_t i = 0; i < kGroups; ++i) {
            const Levels levels = levelsFrom([&](uint32_t e) { return all[kWeightGroup * i + e]; });
            packPairs(levels, 0, planes[0] + 8 * (kGroups * block + i));
        }
    }
}

template <typename Block>
constexpr WeightFormat ternaryWeights(quant::Quant id) {
    return {.name = "tq", .id = id, .planes = {{{32, 8}, {256, 2}}}, .repackRow = repackTernaryRow<Block>};
}

}  // namespace ingle::backend::vulkan
