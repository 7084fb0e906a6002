// Q5_0: nibbles, fifth bits, halves d.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kBlockBytes = 22;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    for (uint32_t group = 0; group < k / kWeightGroup; ++group, row += kBlockBytes) {
        Levels levels;
        const uint32_t fifths = quant::u32At(row + 2);
        for (uint32_t e = 0; e < kWeightGroup; ++e)
            levels[e] = static_cast<uint8_t>(quant::nibbleOf32(row + 6, e) | (fifths >> e & 1) << 4);
        packNibbles(levels, planes[0] + 16 * group);
        packBits(levels, 4, planes[1] + 4 * group);
        std::memcpy(planes[2] + 2 * group, row, 2);
    }
}

}  // namespace

extern const WeightFormat q5_0_weight;
const WeightFormat q5_0_weight{
    .name = "q5_0", .id = {6}, .planes = {{{32, 16}, {32, 4}, {32, 2}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan
