// Q2_0: pairs of bits; halves d for 64 values.
#include "engine/backend/vulkan/weights/pack.h"

namespace ingle::backend::vulkan::q2_0_weight {
namespace {

constexpr uint32_t kBlockElems = 64;
constexpr uint32_t kBlockBytes = 18;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 2, planes[1]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 2, 16, planes[0]);
}

}  // namespace

extern const WeightFormat weight{
    .name = "q2_0", .id = quant::kQ2_0, .planes = {{{32, 8}, {64, 2}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::q2_0_weight
