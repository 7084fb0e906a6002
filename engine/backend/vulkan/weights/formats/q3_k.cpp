// Q3_K: pairs of bits; third bits; signed byte scales for 16 values; halves d for 256.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan::q3_k_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 110;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 108, 2, planes[3]);
    repackGroups<kBlockElems, kBlockBytes>(row, k, [&](const std::byte* block, uint32_t i, uint32_t group) {
        const Levels levels = levelsFrom([&](uint32_t e) {
            const uint32_t third = quant::byteAt(block + e) >> i & 1;
            return quant::bitPairOf256(block + 32, 32 * i + e) | third << 2;
        });
        packPairs(levels, 0, planes[0] + 8 * group);
        packBits(levels, 2, planes[1] + 4 * group);
        for (uint32_t half = 0; half < 2; ++half)
            planes[2][2 * group + half] = static_cast<std::byte>(quant::scaleOfQ3K(block + 96, 2 * i + half));
    });
}

}  // namespace

extern const WeightFormat weight{.name = "q3_k",
                                 .id = quant::kQ3_K,
                                 .planes = {{{32, 8}, {32, 4}, {32, 2}, {256, 2}}},
                                 .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::q3_k_weight
