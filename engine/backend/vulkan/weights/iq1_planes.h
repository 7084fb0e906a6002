/// IQ1_S and IQ1_M for shaders/quant/iq1.glsl: pairs of bits, grid value + 1; a word of 16 bits for 32
/// values; halves d for 256.
#pragma once

#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/iq1_block.h"

namespace ingle::backend::vulkan {

/// Block: of engine/quant/iq1_block.h.
template <typename Block>
void repackIq1Row(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    const auto repack = [&](const std::byte* block, uint32_t i, uint32_t group) {
        // Two scales of 3 bits, each of 16 values, and above them whether each eight values shift up.
        uint32_t fields = 0;
        Levels levels;
        for (uint32_t part = 0; part < 4; ++part) {
            const quant::ShiftedGroup eight = Block::group(block, 4 * i + part);
            fields |= eight.scale << part / 2 * 3;
            if (!eight.shiftsDown) fields |= 64U << part;
            for (uint32_t e = 0; e < 8; ++e)
                levels[8 * part + e] = static_cast<uint8_t>(quant::gridByte(eight.values, e) + 1);
        }
        packPairs(levels, 0, planes[0] + 8 * group);
        quant::storeU16(planes[1] + 2 * group, static_cast<uint16_t>(fields));
        if (i == 0) quant::storeU16(planes[2] + 2 * (group / 8), Block::d(block));
    };
    repackGroups<quant::kGridBlockElems, Block::kBytes>(row, k, repack);
}

template <typename Block>
constexpr WeightFormat iq1Weights(quant::Quant id) {
    return {
        .name = "iq1", .id = id, .planes = {{{32, 8}, {32, 2}, {256, 2}}}, .repackRow = repackIq1Row<Block>};
}

}  // namespace ingle::backend::vulkan
