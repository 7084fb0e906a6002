// Q2_K: pairs of bits; bytes of scale and min for 16 values; halves d and dmin for 256.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan::q2_k_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 84;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 16, planes[1]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 80, 4, planes[2]);
    repackGroups<kBlockElems, kBlockBytes>(row, k, [&](const std::byte* block, uint32_t i, uint32_t group) {
        const Levels levels =
            levelsFrom([&](uint32_t e) { return quant::bitPairOf256(block + 16, 32 * i + e); });
        packPairs(levels, 0, planes[0] + 8 * group);
    });
}

}  // namespace

extern const WeightFormat weight{
    .name = "q2_k", .id = quant::kQ2_K, .planes = {{{32, 8}, {32, 2}, {256, 4}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::q2_k_weight
