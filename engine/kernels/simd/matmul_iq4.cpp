// Nibbles that are indices of a table: see engine/quant/formats/iq4_nl.cpp, iq4_xs.cpp and mxfp4.cpp, and
// engine/quant/nvfp4_block.h.
#include "engine/kernels/simd/block_matmul.h"
#include "engine/quant/grids/iq4.h"
#include "engine/quant/grids/mxfp4.h"

namespace ingle::kernels::INGLE_ISA::matmul_iq4 {
namespace {

/// The levels of a table as bytes, which are level + offset.
struct Levels {
    uint8_t bytes[16];

    template <typename T>
    constexpr Levels(const T (&levels)[16], int offset) {
        for (int i = 0; i < 16; ++i) bytes[i] = static_cast<uint8_t>(static_cast<int>(levels[i]) + offset);
    }
};
constexpr Levels kIq4(quant::kIq4Levels, 128);
constexpr Levels kMxfp4(quant::kMxfp4Levels, 16);

/// The block whose 16 bytes of nibbles lie at `offset`.
void unpackNibbles(const Rows& rows, size_t offset, const Levels& levels, Ints (&out)[kGroups]) {
    const Ints table = tableOf16(levels.bytes);
    Ints column[4];
    loadColumn(rows, offset, column);
    for (uint32_t g = 0; g < 4; ++g) {
        out[g] = lookUp(table, bitAnd(column[g], bytes(15)));
        out[4 + g] = lookUp(table, bitAnd(shiftRight(column[g], 4), bytes(15)));
    }
}

struct Iq4Nl {
    static constexpr quant::Quant kQuant = quant::kIQ4_NL;
    static constexpr uint32_t kUnitBytes = 18;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 255;
    static constexpr int kOffsetShift = 7;

    static void unpack(const Rows& rows, Unit<Iq4Nl>& unit) {
        unpackNibbles(rows, 2, kIq4, unit.bytes[0]);
        unit.scales[0][0] = loadHalves(rows, 0);
    }
};

struct Iq4Xs {
    static constexpr quant::Quant kQuant = quant::kIQ4_XS;
    static constexpr uint32_t kUnitBytes = 136;
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 255;
    static constexpr int kOffsetShift = 7;

    static void unpackHead(const Rows& rows, Unit<Iq4Xs>& unit) {
        const Ints head = gatherInts(rows, 0);  // d, and the scales' upper pairs of bits
        const Ints low = gatherInts(rows, 4);
        const Floats d = lowHalvesToFloats(head);
        for (int k = 0; k < 8; ++k) {
            const Ints scale = bitOr(bitsFrom(low, 4 * k, 15), shiftLeft(bitsFrom(head, 16 + 2 * k, 3), 4));
            unit.scales[k][0] = multiply(d, toFloats(subtract(scale, broadcastInt(32))));
        }
    }
    static void unpackBlock(const Rows& rows, Unit<Iq4Xs>& unit, uint32_t block) {
        unpackNibbles(rows, 8 + 16 * block, kIq4, unit.bytes[block]);
    }
};

struct Mxfp4 {
    static constexpr quant::Quant kQuant = quant::kMXFP4;
    static constexpr uint32_t kUnitBytes = 17;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 28;
    static constexpr int kOffsetShift = 4;

    static void unpack(const Rows& rows, Unit<Mxfp4>& unit) {
        unpackNibbles(rows, 1, kMxfp4, unit.bytes[0]);
        // 2^(e - 128), which may have no exponent of its own, as the product of two powers that do.
        const Ints e = bitAnd(gatherInts(rows, 0), broadcastInt(255));
        const Ints half = shiftRight(e, 1);
        unit.scales[0][0] = multiply(powerOf2(half), powerOf2(subtract(e, half)));
    }

  private:
    /// 2^(e - 64)
    static Floats powerOf2(Ints e) { return asFloats(shiftLeft(add(e, broadcastInt(127 - 64)), 23)); }
};

struct Nvfp4 {
    static constexpr quant::Quant kQuant = quant::kNVFP4;
    static constexpr uint32_t kUnitBytes = 36;
    static constexpr uint32_t kUnitBlocks = 2;
    static constexpr uint32_t kScales = 2;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 28;
    static constexpr int kOffsetShift = 4;

    static void unpack(const Rows& rows, Unit<Nvfp4>& unit) {
        const Ints table = tableOf16(kMxfp4.bytes);
        const Ints scales = gatherInts(rows, 0);
        for (uint32_t part = 0; part < 4; ++part)
            unit.scales[part / 2][part % 2] = scale(shiftRight(scales, 8 * static_cast<int>(part)));
        for (uint32_t b = 0; b < 2; ++b) {
            Ints column[4];  // of two parts: low nibbles are its first eight values
            loadColumn(rows, 4 + 16 * b, column);
            for (uint32_t g = 0; g < kGroups; ++g) {
                const Ints both = column[g / 4 * 2 + g % 2];
                const Ints nibbles = g % 4 < 2 ? both : shiftRight(both, 4);
                unit.bytes[b][g] = lookUp(table, bitAnd(nibbles, bytes(15)));
            }
        }
    }

  private:
    /// Of the lowest byte: quant::Nvfp4Block::scale().
    static Floats scale(Ints v) {
        const Ints bits = bitAnd(v, broadcastInt(0x7F));
        const Ints all = broadcastInt(0xFF);
        const Ints byte = bitAnd(v, all);
        // NaN alone is 0x7F; what lies above it has a sign, which nobody reads.
        const Ints isNan =
            bitXor(whereAtLeast(byte, broadcastInt(0x7F), all), whereAtLeast(byte, broadcastInt(0x80), all));
        const Ints kept = bitAnd(bits, bitXor(isNan, all));
        return multiply(lowHalvesToFloats(shiftLeft(kept, 7)), broadcast(0x1p7F));
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Iq4Nl>(), blockMatmulEntry<Iq4Xs>(),
                                    blockMatmulEntry<Mxfp4>(), blockMatmulEntry<Nvfp4>()};

}  // namespace

extern const KernelList list = {kEntries, 4};

}  // namespace ingle::kernels::INGLE_ISA::matmul_iq4
