// Q4_0: see engine/quant/formats/q4_0.cpp.
#include "engine/kernels/simd/block_matmul.h"

namespace ingle::kernels::INGLE_ISA::matmul_q4_0 {
namespace {

struct Q4_0 {
    static constexpr quant::Quant kQuant = quant::kQ4_0;
    static constexpr uint32_t kUnitBytes = 18;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 15;
    static constexpr int kOffsetShift = 3;

    static void unpack(const Rows& rows, Unit<Q4_0>& unit) {
        Ints column[4];
        loadColumn(rows, 2, column);
        for (uint32_t g = 0; g < 4; ++g) {
            unit.bytes[0][g] = bitAnd(column[g], bytes(15));
            unit.bytes[0][4 + g] = bitAnd(shiftRight(column[g], 4), bytes(15));
        }
        unit.scales[0][0] = loadHalves(rows, 0);
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Q4_0>()};

}  // namespace

extern const KernelList list = {kEntries, 1};

}  // namespace ingle::kernels::INGLE_ISA::matmul_q4_0
