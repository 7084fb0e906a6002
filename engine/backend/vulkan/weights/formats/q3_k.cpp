// Q3_K: pairs of bits; third bits; signed byte scales for 16 values; halves d for 256.
#include "engine/backend/vulkan/weights/pack.h"
#include "engine/quant/block.h"

namespace ingle::backend::vulkan {
namespace {

/// As in the file: low nibbles of 16 scales in 8 bytes, then their upper pairs of bits; 32 is taken off.
int32_t groupScale(const std::byte* s, uint32_t i) {
    const uint32_t low = quant::byteAt(s + i % 8) >> i / 8 * 4 & 15;
    const uint32_t high = quant::byteAt(s + 8 + i % 4) >> i / 4 * 2 & 3;
    return static_cast<int32_t>(low | high << 4) - 32;
}

constexpr uint32_t kBlockElems = 256;
constexpr uint32_t kBlockBytes = 110;
constexpr uint32_t kGroups = kBlockElems / kWeightGroup;

void repackRow(const std::byte* row, uint32_t k, const PlanePointers& planes) {
    for (uint32_t block = 0; block < k / kBlockElems; ++block, row += kBlockBytes) {
        std::memcpy(planes[3] + 2 * block, row + 108, 2);
        for (uint32_t i = 0; i < kGroups; ++i) {
            const uint32_t group = block * kGroups + i;
            Levels levels;
            for (uint32_t e = 0; e < kWeightGroup; ++e) {
                const uint32_t third = quant::byteAt(row + e) >> i & 1;
                levels[e] = static_cast<uint8_t>(quant::bitPairOf256(row + 32, 32 * i + e) | third << 2);
            }
            packPairs(levels, 0, planes[0] + 8 * group);
            packBits(levels, 2, planes[1] + 4 * group);
            for (uint32_t half = 0; half < 2; ++half)
                planes[2][2 * group + half] = static_cast<std::byte>(groupScale(row + 96, 2 * i + half));
        }
    }
}

}  // namespace

extern const WeightFormat q3_k_weight;
const WeightFormat q3_k_weight{
    .name = "q3_k", .id = {11}, .planes = {{{32, 8}, {32, 4}, {32, 2}, {256, 2}}}, .repackRow = repackRow};

}  // namespace ingle::backend::vulkan
