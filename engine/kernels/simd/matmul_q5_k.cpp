// Q5_K: see engine/quant/formats/q5_k.cpp.
#include "engine/kernels/simd/scales_and_mins.h"

namespace ingle::kernels::INGLE_ISA::matmul_q5_k {
namespace {

struct Q5_K {
    static constexpr quant::Quant kQuant = quant::kQ5_K;
    static constexpr uint32_t kUnitBytes = 176;
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = true;
    static constexpr uint32_t kMaxByte = 31;
    static constexpr int kOffsetShift = kNoOffset;

    static void unpack(const Rows& rows, Unit<Q5_K>& unit) {
        unpackScalesAndMins(rows, unit);
        for (uint32_t half = 0; half < 2; ++half) {
            Ints fifth[4];  // bit k of a byte belongs to block k
            loadColumn(rows, 16 + 16 * half, fifth);
            for (int block = 0; block < 8; block += 2) {
                Ints column[4];
                loadColumn(rows, 48 + 16 * (block + half), column);
                for (uint32_t g = 0; g < 4; ++g) {
                    unit.bytes[block][4 * half + g] =
                        bitOr(bitAnd(column[g], bytes(15)), fifthBit(fifth[g], block));
                    unit.bytes[block + 1][4 * half + g] =
                        bitOr(bitAnd(shiftRight(column[g], 4), bytes(15)), fifthBit(fifth[g], block + 1));
                }
            }
        }
    }

    /// Bit `index` of each byte, moved to bit 4.
    static Ints fifthBit(Ints v, int index) {
        const Ints moved = index < 4 ? shiftLeft(v, 4 - index) : shiftRight(v, index - 4);
        return bitAnd(moved, bytes(16));
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Q5_K>()};

}  // namespace

extern const KernelList list = {kEntries, 1};

}  // namespace ingle::kernels::INGLE_ISA::matmul_q5_k
