// Q4_K: see engine/quant/formats/q4_k.cpp.
#include "engine/kernels/simd/scales_and_mins.h"

namespace ingle::kernels::INGLE_ISA::matmul_q4_k {
namespace {

struct Q4_K {
    static constexpr quant::Quant kQuant = quant::kQ4_K;
    static constexpr uint32_t kUnitBytes = 144;
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = true;
    static constexpr uint32_t kMaxByte = 15;
    static constexpr int kOffsetShift = kNoOffset;

    static void unpack(const Rows& rows, Unit<Q4_K>& unit) {
        unpackScalesAndMins(rows, unit);
        // 32 bytes hold two blocks: low nibbles, then high ones. A column is half of them.
        for (uint32_t c = 0; c < 8; ++c) {
            Ints column[4];
            loadColumn(rows, 16 + 16 * c, column);
            const uint32_t block = c / 2 * 2;
            for (uint32_t g = 0; g < 4; ++g) {
                const uint32_t group = c % 2 * 4 + g;
                unit.bytes[block][group] = bitAnd(column[g], bytes(15));
                unit.bytes[block + 1][group] = bitAnd(shiftRight(column[g], 4), bytes(15));
            }
        }
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Q4_K>()};

}  // namespace

extern const KernelList list = {kEntries, 1};

}  // namespace ingle::kernels::INGLE_ISA::matmul_q4_k
