// Q4_K: nibbles; bytes scale and min for 32 values; halves d and dmin for 256.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 144;
constexpr uint32_t kGroups = kBlockElems / kWeightGroup;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    for (uint32_t block = 0; block < k / kBlockElems; ++block, row += kBlockBytes) {
        std::memcpy(planes[2] + 4 * block, row, 4);
        for (uint32_t i = 0; i < kGroups; ++i) {
            const uint32_t group = block * kGroups + i;
            Levels levels;
            for (uint32_t e = 0; e < kWeightGroup; ++e)
                levels[e] = static_cast<uint8_t>(quant::byteAt(row + 16 + i / 2 * 32 + e) >> i % 2 * 4 & 15);
            packNibbles(levels, planes[0] + 16 * group);
            const auto [scale, min] = quant::scaleAndMin(row + 4, i);
            planes[1][2 * group] = static_cast<std::byte>(scale);
            planes[1][2 * group + 1] = static_cast<std::byte>(min);
        }
    }
}

}  // namespace

extern const WeightFormat q4_k_weight;
const WeightFormat q4_k_weight{
    .name = "q4_k", .id = {12}, .planes = {{{32, 16}, {32, 2}, {256, 4}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan
