// NVFP4: nibbles; bytes of scale for 16 values, without a sign and with 0 for the NaN.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/nvfp4_block.h"

namespace ingle::backend::vulkan::nvfp4_weight {
namespace {

using quant::Nvfp4Block;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    repackGroups<Nvfp4Block::kElems, Nvfp4Block::kBytes>(
        row, k, [&](const std::byte* block, uint32_t i, uint32_t group) {
            packNibbles(levelsFrom([&](uint32_t e) { return Nvfp4Block::nibble(block, 32 * i + e); }),
                        planes[0] + 16 * group);
            for (uint32_t part = 0; part < 2; ++part) {
                const std::byte scale = block[2 * i + part] & std::byte{0x7F};
                const bool isNan = block[2 * i + part] == std::byte{0x7F};
                planes[1][2 * group + part] = isNan ? std::byte{0} : scale;
            }
        });
}

}  // namespace

extern const WeightFormat weight{
    .name = "nvfp4", .id = quant::kNVFP4, .planes = {{{32, 16}, {16, 1}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::nvfp4_weight
