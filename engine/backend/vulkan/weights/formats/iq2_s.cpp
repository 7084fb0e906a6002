// IQ2_S: for 256 values 32 bytes of grid indices and 32 of signs; then 8 bytes of the indices' upper bit
// pairs and 8 of scales; then halves d.
#include "engine/quant/grids/iq2_s.h"
#include "engine/backend/vulkan/weights/grid.h"
#include "engine/backend/vulkan/weights/pack.h"

namespace ingle::backend::vulkan::iq2_s_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 82;
constexpr auto kLevels = packGrid(quant::kIq2SGrid, iq2Level);

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 2, 64, planes[0]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 66, 16, planes[1]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 2, planes[2]);
}

}  // namespace

extern const WeightFormat weight{.name = "iq2_s",
                                 .id = quant::kIQ2_S,
                                 .planes = {{{256, 64}, {256, 16}, {256, 2}}},
                                 .grid = kLevels,
                                 .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::iq2_s_weight
