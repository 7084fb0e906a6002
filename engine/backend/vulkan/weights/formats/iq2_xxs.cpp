// IQ2_XXS: two words for 32 values: four bytes of grid indices; four times seven signs, and a scale on top.
// Halves d for 256.
#include "engine/quant/grids/iq2_xxs.h"
#include "engine/backend/vulkan/weights/grid.h"
#include "engine/backend/vulkan/weights/pack.h"

namespace ingle::backend::vulkan::iq2_xxs_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 66;
constexpr auto kLevels = packGrid(quant::kIq2XxsGrid, iq2Level);

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 2, 64, planes[0]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 2, planes[1]);
}

}  // namespace

extern const WeightFormat weight{.name = "iq2_xxs",
                                 .id = quant::kIQ2_XXS,
                                 .planes = {{{32, 8}, {256, 2}}},
                                 .grid = kLevels,
                                 .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::iq2_xxs_weight
