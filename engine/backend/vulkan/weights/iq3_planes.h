/// IQ3_XXS and IQ3_S for shaders/quant/iq3.glsl: nibbles, the place of a value among the sixteen; a byte for
/// 32 values, the scale in the low nibble, kWideEnds in the high one; halves d for 256.
#pragma once

#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/iq3_block.h"

namespace ingle::backend::vulkan {

/// Block: of engine/quant/iq3_block.h, whose magnitudes are kStep / 2 + n * kStep, n < 8. kWideEnds: 1 where
/// the last is larger by kStep / 4, else 0.
template <typename Block, uint32_t kStep, uint32_t kWideEnds>
void repackIq3Row(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<quant::kGridBlockElems, Block::kBytes>(row, k, 0, 2, planes[2]);
    const auto repack = [&](const std::byte* block, uint32_t i, uint32_t group) {
        Levels levels;
        uint32_t scale = 0;
        for (uint32_t part = 0; part < 4; ++part) {
            const quant::SignedGroup eight = Block::group(block, 4 * i + part);
            for (uint32_t e = 0; e < 8; ++e) {
                const uint32_t n = quant::gridByte(eight.magnitudes, e) / kStep;
                levels[8 * part + e] = static_cast<uint8_t>((eight.signs >> e & 1) != 0 ? 7 - n : 8 + n);
            }
            scale = eight.scale;  // one for all four
        }
        packNibbles(levels, planes[0] + 16 * group);
        planes[1][group] = static_cast<std::byte>(scale | kWideEnds << 4);
    };
    repackGroups<quant::kGridBlockElems, Block::kBytes>(row, k, repack);
}

template <typename Block, uint32_t kStep, uint32_t kWideEnds>
constexpr WeightFormat iq3Weights(quant::Quant id) {
    return {.name = "iq3",
            .id = id,
            .planes = {{{32, 16}, {32, 1}, {256, 2}}},
            .repackRow = repackIq3Row<Block, kStep, kWideEnds>};
}

}  // namespace ingle::backend::vulkan
