// Q2_K: pairs of bits; bytes of scale and min for 16 values; halves d and dmin for 256.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 84;
constexpr uint32_t kGroups = kBlockElems / kWeightGroup;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    for (uint32_t block = 0; block < k / kBlockElems; ++block, row += kBlockBytes) {
        std::memcpy(planes[2] + 4 * block, row + 80, 4);
        for (uint32_t i = 0; i < kGroups; ++i) {
            const uint32_t group = block * kGroups + i;
            Levels levels;
            for (uint32_t e = 0; e < kWeightGroup; ++e)
                levels[e] = static_cast<uint8_t>(quant::bitPairOf256(row + 16, 32 * i + e));
            packPairs(levels, 0, planes[0] + 8 * group);
            std::memcpy(planes[1] + 2 * group, row + 2 * i, 2);
        }
    }
}

}  // namespace

extern const WeightFormat q2_k_weight;
const WeightFormat q2_k_weight{
    .name = "q2_k", .id = {10}, .planes = {{{32, 8}, {32, 2}, {256, 4}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan
