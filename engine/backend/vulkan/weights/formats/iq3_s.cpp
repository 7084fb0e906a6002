// IQ3_S: bytes of grid indices; for 256 values 8 bytes of their ninth bits, 32 of signs and 4 of scales; then
// halves d.
#include "engine/quant/grids/iq3_s.h"
#include "engine/backend/vulkan/weights/grid.h"
#include "engine/backend/vulkan/weights/pack.h"

namespace ingle::backend::vulkan::iq3_s_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 110;
/// 1, 3 … 15.
constexpr auto kLevels =
    packGrid(quant::kIq3SGrid, [](uint8_t value) { return static_cast<uint8_t>(value / 2); });

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 2, 64, planes[0]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 66, 44, planes[1]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 2, planes[2]);
}

}  // namespace

extern const WeightFormat weight{.name = "iq3_s",
                                 .id = quant::kIQ3_S,
                                 .planes = {{{32, 8}, {256, 44}, {256, 2}}},
                                 .grid = kLevels,
                                 .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::iq3_s_weight
