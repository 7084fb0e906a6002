// Q5_0 and Q5_1: see engine/quant/formats/q5_0.cpp and q5_1.cpp.
#include "engine/kernels/simd/block_matmul.h"

namespace ingle::kernels::INGLE_ISA::matmul_q5_0 {
namespace {

/// A block whose fifth bits and nibbles lie at these offsets.
template <typename Format>
void unpackFiveBits(const Rows& rows, Unit<Format>& unit, size_t fifthBits, size_t nibbles) {
    const Ints fifths = gatherInts(rows, fifthBits);
    Ints column[4];
    loadColumn(rows, nibbles, column);
    for (uint32_t g = 0; g < kGroups; ++g) {
        const Ints four = bitAnd(g < 4 ? column[g] : shiftRight(column[g - 4], 4), bytes(15));
        const Ints fifth = whereBit(spreadByte(fifths, g / 2), fourBits(g % 2), bytes(16));
        unit.bytes[0][g] = bitOr(four, fifth);
    }
}

struct Q5_0 {
    static constexpr quant::Quant kQuant = quant::kQ5_0;
    static constexpr uint32_t kUnitBytes = 22;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 31;
    static constexpr int kOffsetShift = 4;

    static void unpack(const Rows& rows, Unit<Q5_0>& unit) {
        unpackFiveBits(rows, unit, 2, 6);
        unit.scales[0][0] = loadHalves(rows, 0);
    }
};

struct Q5_1 {
    static constexpr quant::Quant kQuant = quant::kQ5_1;
    static constexpr uint32_t kUnitBytes = 24;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = true;
    static constexpr uint32_t kMaxByte = 31;
    static constexpr int kOffsetShift = kNoOffset;

    static void unpack(const Rows& rows, Unit<Q5_1>& unit) {
        unpackFiveBits(rows, unit, 4, 8);
        const Ints halves = gatherInts(rows, 0);
        unit.scales[0][0] = lowHalvesToFloats(halves);
        unit.mins[0][0] = lowHalvesToFloats(shiftRight(halves, 16));
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Q5_0>(), blockMatmulEntry<Q5_1>()};

}  // namespace

extern const KernelList list = {kEntries, 2};

}  // namespace ingle::kernels::INGLE_ISA::matmul_q5_0
