/// Blocks of engine/quant/group_block.h.
#pragma once

#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/group_block.h"

namespace ingle::backend::vulkan {

/// Planes: nibbles, or bytes less 128; heads of the blocks.
template <uint32_t kBits, uint32_t kElems>
constexpr WeightFormat groupWeights(std::string_view name) {
    using Block = quant::GroupBlock<kBits, kElems>;
    const auto repackRow = [](const std::byte* row, uint32_t k, const PlanePointers& planes) {
        copyFields<kElems, Block::kBytes>(row, k, 0, quant::kGroupHeadBytes, planes[1]);
        repackGroups<kElems, Block::kBytes>(row, k, [&](const std::byte* block, uint32_t i, uint32_t group) {
            const Levels levels =
                levelsFrom([&](uint32_t e) { return quant::groupLevel<kBits>(block, i * kWeightGroup + e); });
            std::byte* out = planes[0] + size_t{4} * kBits * group;
            if constexpr (kBits == 4) {
                packNibbles(levels, out);
            } else {
                for (uint32_t e = 0; e < kWeightGroup; ++e) out[e] = static_cast<std::byte>(levels[e] ^ 0x80);
            }
        });
    };
    return {.name = name,
            .id = quant::groupQuant(kBits, kElems),
            .planes = {{{kWeightGroup, 4 * kBits}, {kElems, quant::kGroupHeadBytes}}},
            .repackRow = repackRow};
}

}  // namespace ingle::backend::vulkan
