// Q6_K: nibbles; upper pairs of bits; signed byte scales for 16 values; halves d for 256.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan::q6_k_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 210;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 192, 16, planes[2]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 208, 2, planes[3]);
    repackGroups<kBlockElems, kBlockBytes>(row, k, [&](const std::byte* block, uint32_t i, uint32_t group) {
        const Levels levels = levelsFrom([&](uint32_t e) { return quant::sixBitsOf256(block, 32 * i + e); });
        packNibbles(levels, planes[0] + 16 * group);
        packPairs(levels, 4, planes[1] + 8 * group);
    });
}

}  // namespace

extern const WeightFormat weight{.name = "q6_k",
                                 .id = quant::kQ6_K,
                                 .planes = {{{32, 16}, {32, 8}, {32, 2}, {256, 2}}},
                                 .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::q6_k_weight
