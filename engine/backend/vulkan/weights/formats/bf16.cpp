// BF16: one plane, as in the file.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan::bf16_weight {
namespace {

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    std::memcpy(planes[0], row, size_t{k} * 2);
}

}  // namespace

extern const WeightFormat weight{
    .name = "bf16", .id = quant::kBF16, .planes = {{{32, 64}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::bf16_weight
