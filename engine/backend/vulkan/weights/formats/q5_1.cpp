// Q5_1: nibbles, fifth bits, halves d and m.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kBlockBytes = 24;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    for (uint32_t group = 0; group < k / kWeightGroup; ++group, row += kBlockBytes) {
        Levels levels;
        const uint32_t fifths = quant::u32At(row + 4);
        for (uint32_t e = 0; e < kWeightGroup; ++e)
            levels[e] = static_cast<uint8_t>(quant::nibbleOf32(row + 8, e) | (fifths >> e & 1) << 4);
        packNibbles(levels, planes[0] + 16 * group);
        packBits(levels, 4, planes[1] + 4 * group);
        std::memcpy(planes[2] + 4 * group, row, 4);
    }
}

}  // namespace

extern const WeightFormat q5_1_weight;
const WeightFormat q5_1_weight{
    .name = "q5_1", .id = {7}, .planes = {{{32, 16}, {32, 4}, {32, 4}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan
