// IQ2_XXS, IQ2_XS and IQ2_S: see engine/quant/iq2_block.h.
#include "engine/kernels/simd/grids.h"
#include "engine/quant/grids/iq2_s.h"
#include "engine/quant/grids/iq2_xs.h"
#include "engine/quant/grids/iq2_xxs.h"

namespace ingle::kernels::INGLE_ISA::matmul_iq2 {
namespace {

/// Magnitudes are 8, 25 or 43.
struct Iq2 {
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 64 + 43;
    static constexpr int kOffsetShift = 6;
    static constexpr float kScaleUnit = 0.125F;

    /// Group `group` of four in a block: an entry, and the signs in byte `group`.
    static void unpackGroup(const uint64_t* grid, Ints index, Ints signs, uint32_t group, Ints* block) {
        Ints magnitudes[2];
        lookUp64(grid, index, magnitudes[0], magnitudes[1]);
        for (uint32_t half = 0; half < 2; ++half)
            block[2 * group + half] = signedBytes(magnitudes[half], signs, group, half, 1 << kOffsetShift);
    }
    /// Two scales of four bits for each block, from eight bytes on.
    template <typename Format>
    static void unpackScales(Floats d, Ints first, Ints second, Unit<Format>& unit) {
        for (int k = 0; k < 16; ++k)
            unit.scales[k / 2][k % 2] =
                oddScale(d, bitsFrom(k < 8 ? first : second, k % 8 * 4, 15), kScaleUnit);
    }
};

struct Iq2Xxs : Iq2 {
    static constexpr quant::Quant kQuant = quant::kIQ2_XXS;
    static constexpr uint32_t kUnitBytes = 66;
    static constexpr uint32_t kScales = 1;

    static void unpack(const Rows& rows, Unit<Iq2Xxs>& unit) {
        const Floats d = loadHalves(rows, 0);
        for (uint32_t c = 0; c < 4; ++c) {
            Ints column[4];  // of two blocks: indices, signs and scale
            loadColumn(rows, 2 + 16 * c, column);
            for (uint32_t i = 0; i < 2; ++i) {
                const uint32_t block = 2 * c + i;
                const Ints word = column[2 * i + 1];
                const Ints signs = withEighthSign(sevenBitsToBytes(word));
                for (uint32_t group = 0; group < 4; ++group) {
                    const Ints index = bitsFrom(column[2 * i], 8 * static_cast<int>(group), 255);
                    unpackGroup(quant::kIq2XxsGrid, index, signs, group, unit.bytes[block]);
                }
                unit.scales[block][0] = oddScale(d, shiftRight(word, 28), kScaleUnit);
            }
        }
    }
};

struct Iq2Xs : Iq2 {
    static constexpr quant::Quant kQuant = quant::kIQ2_XS;
    static constexpr uint32_t kUnitBytes = 74;
    static constexpr uint32_t kScales = 2;

    static void unpack(const Rows& rows, Unit<Iq2Xs>& unit) {
        for (uint32_t c = 0; c < 4; ++c) {
            Ints column[4];  // of two blocks: two groups each, an index of 9 bits and signs of 7
            loadColumn(rows, 2 + 16 * c, column);
            for (uint32_t i = 0; i < 2; ++i) {
                const Ints* pairs = column + 2 * i;
                const auto seven = [pairs](uint32_t group) {
                    return bitsFrom(pairs[group / 2], group % 2 == 0 ? 9 : 25, 127);
                };
                const Ints signs =
                    withEighthSign(bitOr(bitOr(seven(0), shiftLeft(seven(1), 8)),
                                         bitOr(shiftLeft(seven(2), 16), shiftLeft(seven(3), 24))));
                for (uint32_t group = 0; group < 4; ++group) {
                    const Ints index = bitsFrom(pairs[group / 2], group % 2 == 0 ? 0 : 16, 511);
                    unpackGroup(quant::kIq2XsGrid, index, signs, group, unit.bytes[2 * c + i]);
                }
            }
        }
        unpackScales(loadHalves(rows, 0), gatherInts(rows, 66), gatherInts(rows, 70), unit);
    }
};

struct Iq2S : Iq2 {
    static constexpr quant::Quant kQuant = quant::kIQ2_S;
    static constexpr uint32_t kUnitBytes = 82;
    static constexpr uint32_t kScales = 2;

    static void unpack(const Rows& rows, Unit<Iq2S>& unit) {
        Ints tail[4];  // upper pairs of bits of the indices of four blocks each, then scales
        loadColumn(rows, 66, tail);
        for (uint32_t c = 0; c < 2; ++c) {
            Ints low[4];
            Ints signs[4];
            loadColumn(rows, 2 + 16 * c, low);
            loadColumn(rows, 34 + 16 * c, signs);
            for (uint32_t b = 0; b < 4; ++b) {
                for (uint32_t group = 0; group < 4; ++group) {
                    const Ints high = bitsFrom(tail[c], static_cast<int>(8 * b + 2 * group), 3);
                    const Ints index =
                        bitOr(bitsFrom(low[b], 8 * static_cast<int>(group), 255), shiftLeft(high, 8));
                    unpackGroup(quant::kIq2SGrid, index, signs[b], group, unit.bytes[4 * c + b]);
                }
            }
        }
        unpackScales(loadHalves(rows, 0), tail[2], tail[3], unit);
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Iq2Xxs>(), blockMatmulEntry<Iq2Xs>(),
                                    blockMatmulEntry<Iq2S>()};

}  // namespace

extern const KernelList list = {kEntries, 3};

}  // namespace ingle::kernels::INGLE_ISA::matmul_iq2
