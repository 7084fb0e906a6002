// Q1_0: bits; halves d for 128 values.
#include "engine/backend/vulkan/weights/pack.h"

namespace ingle::backend::vulkan::q1_0_weight {
namespace {

constexpr uint32_t kBlockElems = 128;
constexpr uint32_t kBlockBytes = 18;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 2, planes[1]);
    copyFields<kBlockElems, kBlockBytes>(row, k, 2, 16, planes[0]);
}

}  // namespace

extern const WeightFormat weight{
    .name = "q1_0", .id = quant::kQ1_0, .planes = {{{32, 4}, {128, 2}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::q1_0_weight
