// IQ2_XS: 16 bits for 8 values, a grid index and seven signs; nibbles, scales of 16; halves d for 256.
#include "engine/quant/grids/iq2_xs.h"
#include "engine/backend/vulkan/weights/grid.h"
#include "engine/backend/vulkan/weights/pack.h"

namespace ingle::backend::vulkan::iq2_xs_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 74;
constexpr auto kLevels = packGrid(quant::kIq2XsGrid, iq2Level);

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 2, 64, planes[0]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 66, 8, planes[1]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 2, planes[2]);
}

}  // namespace

extern const WeightFormat weight{.name = "iq2_xs",
                                 .id = quant::kIQ2_XS,
                                 .planes = {{{32, 8}, {32, 1}, {256, 2}}},
                                 .grid = kLevels,
                                 .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::iq2_xs_weight
