// IQ1_M: bytes of grid indices; nibbles for 8 values, an index' upper bits and the sign of the shift; 8 bytes
// for 256, the scales and in the upper nibbles of their 16-bit words d.
#include "engine/backend/vulkan/weights/iq1_grid.h"
#include "engine/backend/vulkan/weights/pack.h"

namespace ingle::backend::vulkan::iq1_m_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 56;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 32, planes[0]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 32, 16, planes[1]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 48, 8, planes[2]);
}

}  // namespace

extern const WeightFormat weight{.name = "iq1_m",
                                 .id = quant::kIQ1_M,
                                 .planes = {{{32, 4}, {32, 2}, {256, 8}}},
                                 .grid = kIq1Levels,
                                 .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::iq1_m_weight
