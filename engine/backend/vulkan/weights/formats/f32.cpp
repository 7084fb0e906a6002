// F32: one plane, as in the file.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan::f32_weight {
namespace {

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    std::memcpy(planes[0], row, size_t{k} * 4);
}

}  // namespace

extern const WeightFormat weight{
    .name = "f32", .id = quant::kF32, .planes = {{{32, 128}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::f32_weight
