// IQ3_XXS: bytes of grid indices; a word for 32 values, four times seven signs and a scale on top; halves d
// for 256.
#include "engine/quant/grids/iq3_xxs.h"
#include "engine/backend/vulkan/weights/grid.h"
#include "engine/backend/vulkan/weights/pack.h"

namespace ingle::backend::vulkan::iq3_xxs_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 98;
/// 4, 12 … 52, 62.
constexpr auto kLevels =
    packGrid(quant::kIq3XxsGrid, [](uint8_t value) { return static_cast<uint8_t>(value / 8); });

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 2, 64, planes[0]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 66, 32, planes[1]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 2, planes[2]);
}

}  // namespace

extern const WeightFormat weight{.name = "iq3_xxs",
                                 .id = quant::kIQ3_XXS,
                                 .planes = {{{32, 8}, {32, 4}, {256, 2}}},
                                 .grid = kLevels,
                                 .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::iq3_xxs_weight
