// Q6_K: nibbles; upper pairs of bits; signed byte scales for 16 values; halves d for 256.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 210;
constexpr uint32_t kGroups = kBlockElems / kWeightGroup;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    for (uint32_t block = 0; block < k / kBlockElems; ++block, row += kBlockBytes) {
        std::memcpy(planes[3] + 2 * block, row + 208, 2);
        for (uint32_t i = 0; i < kGroups; ++i) {
            const uint32_t group = block * kGroups + i;
            Levels levels;
            for (uint32_t e = 0; e < kWeightGroup; ++e) {
                // Two halves of 128 values; a quarter of each takes its nibbles from 32 of 64 bytes.
                const uint32_t low =
                    quant::byteAt(row + 64 * (i / 4) + 32 * (i % 2) + e) >> i % 4 / 2 * 4 & 15;
                levels[e] = static_cast<uint8_t>(low | quant::bitPairOf256(row + 128, 32 * i + e) << 4);
            }
            packNibbles(levels, planes[0] + 16 * group);
            packPairs(levels, 4, planes[1] + 8 * group);
            std::memcpy(planes[2] + 2 * group, row + 192 + 2 * i, 2);
        }
    }
}

}  // namespace

extern const WeightFormat q6_k_weight;
const WeightFormat q6_k_weight{
    .name = "q6_k", .id = {14}, .planes = {{{32, 16}, {32, 8}, {32, 2}, {256, 2}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan
