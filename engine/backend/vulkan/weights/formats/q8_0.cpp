// Q8_0: signed bytes, halves d.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan::q8_0_weight {
namespace {

constexpr uint32_t kBlockBytes = 34;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    for (uint32_t group = 0; group < k / kWeightGroup; ++group, row += kBlockBytes) {
        std::memcpy(planes[0] + 32 * group, row + 2, 32);
        std::memcpy(planes[1] + 2 * group, row, 2);
    }
}

}  // namespace

extern const WeightFormat weight{
    .name = "q8_0", .id = quant::kQ8_0, .planes = {{{32, 32}, {32, 2}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::q8_0_weight
