// Formats of bit pairs: see engine/quant/formats/q2_k.cpp and q3_k.cpp, and engine/quant/tq_block.h.
#include "engine/kernels/simd/block_matmul.h"

namespace ingle::kernels::INGLE_ISA::matmul_bit_pairs {
namespace {

/// The pairs at `offset` as bytes: 32 bytes hold four blocks, one in each pair of bits.
template <typename Format>
void unpackBitPairs(const Rows& rows, size_t offset, Unit<Format>& unit) {
    for (uint32_t c = 0; c < 4; ++c) {
        Ints column[4];
        loadColumn(rows, offset + 16 * c, column);
        for (uint32_t b = 0; b < 4; ++b) {
            for (uint32_t g = 0; g < 4; ++g) {
                unit.bytes[c / 2 * 4 + b][c % 2 * 4 + g] =
                    bitAnd(shiftRight(column[g], 2 * static_cast<int>(b)), bytes(3));
            }
        }
    }
}

struct Q2_K {
    static constexpr quant::Quant kQuant = quant::kQ2_K;
    static constexpr uint32_t kUnitBytes = 84;
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 2;
    static constexpr bool kHasMins = true;
    static constexpr uint32_t kMaxByte = 3;
    static constexpr int kOffsetShift = kNoOffset;

    static void unpack(const Rows& rows, Unit<Q2_K>& unit) {
        unpackBitPairs(rows, 16, unit);
        const Ints halves = gatherInts(rows, 80);
        const Floats d = lowHalvesToFloats(halves);
        const Floats minusDmin = negate(lowHalvesToFloats(shiftRight(halves, 16)));
        Ints column[4];
        loadColumn(rows, 0, column);
        for (int k = 0; k < 16; ++k) {
            const int first = k % 4 * 8;
            unit.scales[k / 2][k % 2] = multiply(d, toFloats(bitsFrom(column[k / 4], first, 15)));
            unit.mins[k / 2][k % 2] = multiply(minusDmin, toFloats(bitsFrom(column[k / 4], first + 4, 15)));
        }
    }
};

struct Q3_K {
    static constexpr quant::Quant kQuant = quant::kQ3_K;
    static constexpr uint32_t kUnitBytes = 110;
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 2;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 7;
    static constexpr int kOffsetShift = 2;

    static void unpack(const Rows& rows, Unit<Q3_K>& unit) {
        unpackBitPairs(rows, 32, unit);
        for (uint32_t half = 0; half < 2; ++half) {
            Ints thirds[4];  // bit b of a byte belongs to block b
            loadColumn(rows, 16 * half, thirds);
            for (uint32_t b = 0; b < 8; ++b) {
                for (uint32_t g = 0; g < 4; ++g) {
                    Ints& byte = unit.bytes[b][4 * half + g];
                    byte = bitOr(byte, whereBit(thirds[g], bytes(static_cast<uint8_t>(1 << b)), bytes(4)));
                }
            }
        }
        const Floats d = loadLastHalf(rows, kUnitBytes);
        // Four scales at a time: quant::scaleOfQ3K.
        const Ints low[2] = {gatherInts(rows, 96), gatherInts(rows, 100)};
        const Ints high = gatherInts(rows, 104);
        for (int j = 0; j < 4; ++j) {
            const Ints four = bitOr(bitAnd(shiftRight(low[j % 2], j / 2 * 4), bytes(15)),
                                    shiftLeft(bitAnd(shiftRight(high, 2 * j), bytes(3)), 4));
            for (int i = 0; i < 4; ++i) {
                const int k = 4 * j + i;
                unit.scales[k / 2][k % 2] = multiply(d, subtract(byteToFloats(four, i), broadcast(32)));
            }
        }
    }
};

/// -1, 0 or 1, stored as 0, 1 or 2.
struct Ternary {
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 3;
    static constexpr int kOffsetShift = 0;

    template <typename Format>
    static void unpackScale(const Rows& rows, Unit<Format>& unit) {
        const Floats d = loadLastHalf(rows, Format::kUnitBytes);
        for (auto& scale : unit.scales) scale[0] = d;
    }
};

struct Tq2 : Ternary {
    static constexpr quant::Quant kQuant = quant::kTQ2_0;
    static constexpr uint32_t kUnitBytes = 66;

    static void unpack(const Rows& rows, Unit<Tq2>& unit) {
        unpackBitPairs(rows, 0, unit);
        unpackScale(rows, unit);
    }
};

struct Tq1 : Ternary {
    static constexpr quant::Quant kQuant = quant::kTQ1_0;
    static constexpr uint32_t kUnitBytes = 54;

    static void unpack(const Rows& rows, Unit<Tq1>& unit) {
        for (uint32_t c = 0; c < 3; ++c) {
            Ints column[4];
            loadColumn(rows, 16 * c, column);
            for (uint32_t g = 0; g < 4; ++g)
                c < 2 ? unpackTrits(column[g], 5, unit, 4 * c + g, 8)
                      : unpackTrits(column[g], 5, unit, 40 + g, 4);
        }
        unpackTrits(gatherInts(rows, 48), 4, unit, 60, 1);
        unpackScale(rows, unit);
    }

  private:
    /// The leading trits of fractions in 256ths: into the unit's group `first`, and those `stride` further
    /// on.
    static void unpackTrits(Ints fractions, uint32_t count, Unit<Tq1>& unit, uint32_t first,
                            uint32_t stride) {
        for (uint32_t n = 0; n < count; ++n) {
            // The whole part of three times the fraction, and what is left of it.
            const uint32_t group = first + n * stride;
            unit.bytes[group / kGroups][group % kGroups] = addBytes(
                whereAtLeast(fractions, bytes(86), bytes(1)), whereAtLeast(fractions, bytes(171), bytes(1)));
            fractions = addBytes(addBytes(fractions, fractions), fractions);
        }
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Q2_K>(), blockMatmulEntry<Q3_K>(),
                                    blockMatmulEntry<Tq1>(), blockMatmulEntry<Tq2>()};

}  // namespace

extern const KernelList list = {kEntries, 4};

}  // namespace ingle::kernels::INGLE_ISA::matmul_bit_pairs
