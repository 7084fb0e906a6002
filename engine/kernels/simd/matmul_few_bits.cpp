// Levels of one or two bits, in order: see engine/quant/formats/q1_0.cpp and q2_0.cpp.
#include "engine/kernels/simd/block_matmul.h"

namespace ingle::kernels::INGLE_ISA::matmul_few_bits {
namespace {

/// -1 or 1.
struct Q1_0 {
    static constexpr quant::Quant kQuant = quant::kQ1_0;
    static constexpr uint32_t kUnitBytes = 18;
    static constexpr uint32_t kUnitBlocks = 4;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 2;
    static constexpr int kOffsetShift = 0;

    static void unpack(const Rows& rows, Unit<Q1_0>& unit) {
        Ints column[4];  // of a block each
        loadColumn(rows, 2, column);
        const Floats d = loadHalves(rows, 0);
        for (uint32_t b = 0; b < kUnitBlocks; ++b) {
            for (uint32_t g = 0; g < kGroups; ++g)
                unit.bytes[b][g] =
                    whereBit(spreadByte(column[b], static_cast<int>(g / 2)), fourBits(g % 2), bytes(2));
            unit.scales[b][0] = d;
        }
    }
};

/// -1 to 2.
struct Q2_0 {
    static constexpr quant::Quant kQuant = quant::kQ2_0;
    static constexpr uint32_t kUnitBytes = 18;
    static constexpr uint32_t kUnitBlocks = 2;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 3;
    static constexpr int kOffsetShift = 0;

    static void unpack(const Rows& rows, Unit<Q2_0>& unit) {
        // In byte i of each lane a bit of pair i.
        const Ints lowBits = broadcastInt(0x40100401);
        const Ints highBits = shiftLeft(lowBits, 1);
        Ints column[4];  // of half a block each, a byte for each group
        loadColumn(rows, 2, column);
        const Floats d = loadHalves(rows, 0);
        for (uint32_t b = 0; b < kUnitBlocks; ++b) {
            for (uint32_t g = 0; g < kGroups; ++g) {
                const Ints pairs = spreadByte(column[2 * b + g / 4], static_cast<int>(g % 4));
                unit.bytes[b][g] =
                    bitOr(whereBit(pairs, lowBits, bytes(1)), whereBit(pairs, highBits, bytes(2)));
            }
            unit.scales[b][0] = d;
        }
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Q1_0>(), blockMatmulEntry<Q2_0>()};

}  // namespace

extern const KernelList list = {kEntries, 2};

}  // namespace ingle::kernels::INGLE_ISA::matmul_few_bits
