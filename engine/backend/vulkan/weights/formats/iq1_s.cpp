// IQ1_S: bytes of grid indices; 16 bits for 32 values, the indices' upper bits, a scale and the sign of the
// shift; halves d for 256.
#include "engine/backend/vulkan/weights/iq1_grid.h"
#include "engine/backend/vulkan/weights/pack.h"

namespace ingle::backend::vulkan::iq1_s_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 50;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 2, 32, planes[0]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 34, 16, planes[1]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 2, planes[2]);
}

}  // namespace

extern const WeightFormat weight{.name = "iq1_s",
                                 .id = quant::kIQ1_S,
                                 .planes = {{{32, 4}, {32, 2}, {256, 2}}},
                                 .grid = kIq1Levels,
                                 .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::iq1_s_weight
