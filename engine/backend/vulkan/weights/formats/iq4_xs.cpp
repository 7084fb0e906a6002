// IQ4_XS: nibbles; signed byte scales for 32 values; halves d for 256.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan::iq4_xs_weight {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 136;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    copyFields<kBlockElems, kBlockBytes>(row, k, 0, 2, planes[2]);
    repackGroups<kBlockElems, kBlockBytes>(row, k, [&](const std::byte* block, uint32_t i, uint32_t group) {
        const Levels levels =
            levelsFrom([&](uint32_t e) { return quant::nibbleOf32(block + 8 + 16 * i, e); });
        packNibbles(levels, planes[0] + 16 * group);
        planes[1][group] = static_cast<std::byte>(quant::scaleOfIq4Xs(block + 2, i));
    });
}

}  // namespace

extern const WeightFormat weight{.name = "iq4_xs",
                                 .id = quant::kIQ4_XS,
                                 .planes = {{{32, 16}, {32, 1}, {256, 2}}},
                                 .repackRow = repackRow};

}  // namespace ingle::backend::vulkan::iq4_xs_weight
