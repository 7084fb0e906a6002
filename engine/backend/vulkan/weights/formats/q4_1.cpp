// Q4_1: nibbles, halves d and m.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kBlockBytes = 20;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    for (uint32_t group = 0; group < k / kWeightGroup; ++group, row += kBlockBytes) {
        Levels levels;
        for (uint32_t e = 0; e < kWeightGroup; ++e)
            levels[e] = static_cast<uint8_t>(quant::nibbleOf32(row + 4, e));
        packNibbles(levels, planes[0] + 16 * group);
        std::memcpy(planes[1] + 4 * group, row, 4);
    }
}

}  // namespace

extern const WeightFormat q4_1_weight;
const WeightFormat q4_1_weight{
    .name = "q4_1", .id = {3}, .planes = {{{32, 16}, {32, 4}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan
