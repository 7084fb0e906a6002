// Q6_K: see engine/quant/formats/q6_k.cpp.
#include "engine/kernels/simd/block_matmul.h"

namespace ingle::kernels::INGLE_ISA::matmul_q6_k {
namespace {

struct Q6_K {
    static constexpr quant::Quant kQuant = quant::kQ6_K;
    static constexpr uint32_t kUnitBytes = 210;
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 2;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 63;
    static constexpr int kOffsetShift = 5;

    static void unpack(const Rows& rows, Unit<Q6_K>& unit) {
        for (uint32_t n = 0; n < 2; ++n) {  // 128 values each
            for (uint32_t half = 0; half < 2; ++half) {
                Ints even[4];   // low bits of blocks 4n and 4n + 2
                Ints odd[4];    // and of the blocks after them
                Ints upper[4];  // two upper bits of all four
                loadColumn(rows, 64 * n + 16 * half, even);
                loadColumn(rows, 64 * n + 32 + 16 * half, odd);
                loadColumn(rows, 128 + 32 * n + 16 * half, upper);
                for (uint32_t g = 0; g < 4; ++g) {
                    const uint32_t group = 4 * half + g;
                    auto* blocks = unit.bytes + 4 * n;
                    blocks[0][group] = join(even[g], shiftLeft(upper[g], 4));
                    blocks[1][group] = join(odd[g], shiftLeft(upper[g], 2));
                    blocks[2][group] = join(shiftRight(even[g], 4), upper[g]);
                    blocks[3][group] = join(shiftRight(odd[g], 4), shiftRight(upper[g], 2));
                }
            }
        }
        const Floats d = loadLastHalf(rows, kUnitBytes);
        Ints scales[4];
        loadColumn(rows, 192, scales);
        for (int i = 0; i < 16; ++i) {
            const Ints scale = shiftRightSigned(shiftLeft(scales[i / 4], 24 - 8 * (i % 4)), 24);
            unit.scales[i / 2][i % 2] = multiply(d, toFloats(scale));
        }
    }

    /// Four low bits of each byte with two bits that lie at 4 and 5.
    static Ints join(Ints low, Ints upper) {
        return bitOr(bitAnd(low, bytes(15)), bitAnd(upper, bytes(0x30)));
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Q6_K>()};

}  // namespace

extern const KernelList list = {kEntries, 1};

}  // namespace ingle::kernels::INGLE_ISA::matmul_q6_k
