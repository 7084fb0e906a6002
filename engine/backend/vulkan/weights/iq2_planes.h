/// IQ2_XXS, IQ2_XS and IQ2_S for shaders/quant/iq2.glsl: pairs of bits, which of three magnitudes; signs;
/// nibbles, the scale of 16 values; halves d for 256.
#pragma once

#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/iq2_block.h"

namespace ingle::backend::vulkan {

/// Block: of engine/quant/iq2_block.h.
template <typename Block>
void repackIq2Row(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<quant::kGridBlockElems, Block::kBytes>(row, k, 0, 2, planes[3]);
    const auto repack = [&](const std::byte* block, uint32_t i, uint32_t group) {
        Levels levels;
        uint32_t scales = 0;
        for (uint32_t part = 0; part < 4; ++part) {
            const quant::SignedGroup eight = Block::group(block, 4 * i + part);
            for (uint32_t e = 0; e < 8; ++e)
                levels[8 * part + e] = quant::gridByte(eight.magnitudes, e) / 16;  // of 8, 25, 43: 0, 1, 2
            planes[1][4 * group + part] = static_cast<std::byte>(eight.signs);
            scales |= eight.scale << part / 2 * 4;
        }
        packPairs(levels, 0, planes[0] + 8 * group);
        planes[2][group] = static_cast<std::byte>(scales);
    };
    repackGroups<quant::kGridBlockElems, Block::kBytes>(row, k, repack);
}

template <typename Block>
constexpr WeightFormat iq2Weights(quant::Quant id) {
    return {.name = "iq2",
            .id = id,
            .planes = {{{32, 8}, {32, 4}, {32, 1}, {256, 2}}},
            .repackRow = repackIq2Row<Block>};
}

}  // namespace ingle::backend::vulkan
