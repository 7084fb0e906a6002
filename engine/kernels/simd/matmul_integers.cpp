// Integers whose scales lie beside them: engine/quant/integers.h.
#include "engine/kernels/simd/block_matmul.h"

namespace ingle::kernels::INGLE_ISA::matmul_integers {
namespace {

/// A block of integers whose scale, and zero, lie beside the matrix.
struct Integers {
    static constexpr bool kScaledBeside = true;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
};

struct Int8 : Integers {
    static constexpr quant::Quant kQuant = quant::kInt8;
    static constexpr uint32_t kUnitBytes = 32;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 255;
    static constexpr int kOffsetShift = 7;

    static void unpack(const Rows& rows, Unit<Int8>& unit) {
        loadColumn(rows, 0, unit.bytes[0]);
        loadColumn(rows, 16, unit.bytes[0] + 4);
        for (Ints& group : unit.bytes[0]) group = bitXor(group, bytes(0x80));
    }
};

struct Uint8 : Integers {
    static constexpr quant::Quant kQuant = quant::kUint8;
    static constexpr uint32_t kUnitBytes = 32;
    static constexpr bool kHasMins = true;
    static constexpr uint32_t kMaxByte = 255;
    static constexpr int kOffsetShift = kNoOffset;

    static void unpack(const Rows& rows, Unit<Uint8>& unit) {
        loadColumn(rows, 0, unit.bytes[0]);
        loadColumn(rows, 16, unit.bytes[0] + 4);
    }
};

struct Uint4 : Integers {
    static constexpr quant::Quant kQuant = quant::kUint4;
    static constexpr uint32_t kUnitBytes = 16;
    static constexpr bool kHasMins = true;
    static constexpr uint32_t kMaxByte = 15;
    static constexpr int kOffsetShift = kNoOffset;

    /// Two bytes in the lower halves of the lanes, as the four nibbles from high to low of each.
    static Ints nibbles(Ints pairs) {
        const Ints apart =
            bitOr(bitAnd(pairs, broadcastInt(0xFF)), shiftLeft(bitAnd(pairs, broadcastInt(0xFF00)), 8));
        const Ints low = broadcastInt(0x000F000F);
        return bitOr(bitAnd(shiftRight(apart, 4), low), shiftLeft(bitAnd(apart, low), 8));
    }
    static void unpack(const Rows& rows, Unit<Uint4>& unit) {
        Ints column[4];
        loadColumn(rows, 0, column);
        for (uint32_t g = 0; g < 4; ++g) {
            unit.bytes[0][2 * g] = nibbles(column[g]);
            unit.bytes[0][2 * g + 1] = nibbles(shiftRight(column[g], 16));
        }
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Int8>(), blockMatmulEntry<Uint8>(),
                                    blockMatmulEntry<Uint4>()};

}  // namespace

extern const KernelList list = {kEntries, 3};

}  // namespace ingle::kernels::INGLE_ISA::matmul_integers
