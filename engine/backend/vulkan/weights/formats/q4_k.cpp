// Q4_K: nibbles; bytes scale and min for 32 values; halves d and dmin for 256.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan::q4_k_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 144;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 4, planes[2]);
    repackGroups<kBlockElems, kBlockBytes>(row, k, [&](const std::byte* block, uint32_t i, uint32_t group) {
        const Levels levels =
            levelsFrom([&](uint32_t e) { return quant::nibbleOf256(block + 16, 32 * i + e); });
        packNibbles(levels, planes[0] + 16 * group);
        const auto [scale, min] = quant::scaleAndMin(block + 4, i);
        planes[1][2 * group] = static_cast<std::byte>(scale);
        planes[1][2 * group + 1] = static_cast<std::byte>(min);
    });
}

}  // namespace

extern const WeightFormat weight{
    .name = "q4_k", .id = quant::kQ4_K, .planes = {{{32, 16}, {32, 2}, {256, 4}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::q4_k_weight
