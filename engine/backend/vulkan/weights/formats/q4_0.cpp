// Q4_0: nibbles, halves d.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kBlockBytes = 18;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    for (uint32_t group = 0; group < k / kWeightGroup; ++group, row += kBlockBytes) {
        Levels levels;
        for (uint32_t e = 0; e < kWeightGroup; ++e)
            levels[e] = static_cast<uint8_t>(quant::nibbleOf32(row + 2, e));
        packNibbles(levels, planes[0] + 16 * group);
        std::memcpy(planes[1] + 2 * group, row, 2);
    }
}

}  // namespace

extern const WeightFormat q4_0_weight;
const WeightFormat q4_0_weight{
    .name = "q4_0", .id = {2}, .planes = {{{32, 16}, {32, 2}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan
