// TQ2_0: pairs of bits; halves d for 256 values.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/tq_block.h"

namespace ingle::backend::vulkan::tq2_0_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
using quant::Tq2Block;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, Tq2Block::kBytes>(row, k, Tq2Block::kD, 2, planes[1]);
    repackGroups<kBlockElems, Tq2Block::kBytes>(
        row, k, [&](const std::byte* block, uint32_t i, uint32_t group) {
            const Levels levels =
                levelsFrom([&](uint32_t e) { return quant::bitPairOf256(block, 32 * i + e); });
            packPairs(levels, 0, planes[0] + 8 * group);
        });
}

}  // namespace

extern const WeightFormat weight{
    .name = "tq2_0", .id = quant::kTQ2_0, .planes = {{{32, 8}, {256, 2}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::tq2_0_weight
