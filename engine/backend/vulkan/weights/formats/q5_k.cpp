// Q5_K: nibbles; fifth bits; bytes scale and min for 32 values; halves d and dmin for 256.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan::q5_k_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 176;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 4, planes[3]);
    repackGroups<kBlockElems, kBlockBytes>(row, k, [&](const std::byte* block, uint32_t i, uint32_t group) {
        const Levels levels = levelsFrom([&](uint32_t e) {
            const uint32_t fifth = quant::byteAt(block + 16 + e) >> i & 1;
            return quant::nibbleOf256(block + 48, 32 * i + e) | fifth << 4;
        });
        packNibbles(levels, planes[0] + 16 * group);
        packBits(levels, 4, planes[1] + 4 * group);
        const auto [scale, min] = quant::scaleAndMin(block + 4, i);
        planes[2][2 * group] = static_cast<std::byte>(scale);
        planes[2][2 * group + 1] = static_cast<std::byte>(min);
    });
}

}  // namespace

extern const WeightFormat weight{.name = "q5_k",
                                 .id = quant::kQ5_K,
                                 .planes = {{{32, 16}, {32, 4}, {32, 2}, {256, 4}}},
                                 .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::q5_k_weight
