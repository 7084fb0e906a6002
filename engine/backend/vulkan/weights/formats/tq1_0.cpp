// TQ1_0: 48 bytes of five trits each and 4 of four for 256 values, as in the file; halves d.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/tq_block.h"

namespace ingle::backend::vulkan::tq1_0_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
using quant::Tq1Block;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, Tq1Block::kBytes>(row, k, 0, Tq1Block::kD, planes[0]);
    copyFields<kBlockElems, Tq1Block::kBytes>(row, k, Tq1Block::kD, 2, planes[1]);
}

}  // namespace

extern const WeightFormat weight{
    .name = "tq1_0", .id = quant::kTQ1_0, .planes = {{{256, 52}, {256, 2}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::tq1_0_weight
