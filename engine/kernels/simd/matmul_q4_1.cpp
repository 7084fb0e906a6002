// Q4_1: see engine/quant/formats/q4_1.cpp.
#include "engine/kernels/simd/block_matmul.h"

namespace ingle::kernels::INGLE_ISA::matmul_q4_1 {
namespace {

struct Q4_1 {
    static constexpr quant::Quant kQuant = quant::kQ4_1;
    static constexpr uint32_t kUnitBytes = 20;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = true;
    static constexpr uint32_t kMaxByte = 15;
    static constexpr int kOffsetShift = kNoOffset;

    static void unpack(const Rows& rows, Unit<Q4_1>& unit) {
        Ints column[4];
        loadColumn(rows, 4, column);
        for (uint32_t g = 0; g < 4; ++g) {
            unit.bytes[0][g] = bitAnd(column[g], bytes(15));
            unit.bytes[0][4 + g] = bitAnd(shiftRight(column[g], 4), bytes(15));
        }
        const Ints halves = gatherInts(rows, 0);
        unit.scales[0][0] = lowHalvesToFloats(halves);
        unit.mins[0][0] = lowHalvesToFloats(shiftRight(halves, 16));
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Q4_1>()};

}  // namespace

extern const KernelList list = {kEntries, 1};

}  // namespace ingle::kernels::INGLE_ISA::matmul_q4_1
