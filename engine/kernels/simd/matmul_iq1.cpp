// IQ1_S and IQ1_M: see engine/quant/iq1_block.h. A byte is eight times the grid's value, one more or less,
// and an offset; the scale an eighth of the block's.
#include "engine/kernels/simd/grids.h"
#include "engine/quant/grids/iq1_s.h"

namespace ingle::kernels::INGLE_ISA::matmul_iq1 {
namespace {

struct Iq1 {
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 16 + 9;
    static constexpr int kOffsetShift = 4;
    static constexpr float kScaleUnit = 0.125F;

    /// The offset and one more, or one less in lanes whose bit `bit` of v is set.
    static Ints base(Ints v, int bit) {
        const Ints down = shiftRightSigned(shiftLeft(v, 31 - bit), 31);
        return subtract(bytes((1 << kOffsetShift) + 1), bitAnd(down, bytes(2)));
    }
    /// An entry of eight values.
    static void unpackGroup(Ints index, Ints base, Ints* out) {
        Ints values[2];
        lookUp64(quant::kIq1SGrid, index, values[0], values[1]);
        for (uint32_t half = 0; half < 2; ++half)
            out[half] = addBytes(base, bitAnd(shiftLeft(values[half], 3), bytes(0xF8)));
    }
};

struct Iq1S : Iq1 {
    static constexpr quant::Quant kQuant = quant::kIQ1_S;
    static constexpr uint32_t kUnitBytes = 50;
    static constexpr uint32_t kScales = 1;

    static void unpack(const Rows& rows, Unit<Iq1S>& unit) {
        const Floats d = loadHalves(rows, 0);
        Ints words[4];  // of two blocks each
        loadColumn(rows, 34, words);
        for (uint32_t c = 0; c < 2; ++c) {
            Ints low[4];
            loadColumn(rows, 2 + 16 * c, low);
            for (uint32_t i = 0; i < 4; ++i) {
                const uint32_t block = 4 * c + i;
                const Ints word = shiftRight(words[block / 2], block % 2 == 0 ? 0 : 16);
                const Ints offset = base(word, 15);
                for (int group = 0; group < 4; ++group) {
                    const Ints index =
                        bitOr(bitsFrom(low[i], 8 * group, 255), shiftLeft(bitsFrom(word, 3 * group, 7), 8));
                    unpackGroup(index, offset, unit.bytes[block] + 2 * group);
                }
                unit.scales[block][0] = oddScale(d, bitsFrom(word, 12, 7), kScaleUnit);
            }
        }
    }
};

struct Iq1M : Iq1 {
    static constexpr quant::Quant kQuant = quant::kIQ1_M;
    static constexpr uint32_t kUnitBytes = 56;
    static constexpr uint32_t kScales = 2;

    static void unpack(const Rows& rows, Unit<Iq1M>& unit) {
        Ints nibbles[4];  // of two blocks each: upper bits of an index, and whether its values are shifted
                          // down
        loadColumn(rows, 32, nibbles);
        for (uint32_t c = 0; c < 2; ++c) {
            Ints low[4];
            loadColumn(rows, 16 * c, low);
            for (uint32_t i = 0; i < 4; ++i) {
                const uint32_t block = 4 * c + i;
                for (int group = 0; group < 4; ++group) {
                    const int first = static_cast<int>(block % 2 * 16) + 4 * group;
                    const Ints index = bitOr(bitsFrom(low[i], 8 * group, 255),
                                             shiftLeft(bitsFrom(nibbles[block / 2], first, 7), 8));
                    unpackGroup(index, base(nibbles[block / 2], first + 3), unit.bytes[block] + 2 * group);
                }
            }
        }
        // Four numbers of 16 bits: four scales of 3 bits each, and on top a nibble of d.
        const Ints words[2] = {gatherInts(rows, 48), gatherInts(rows, 52)};
        const auto nibbleOfD = [&words](int i) {
            return shiftLeft(bitsFrom(words[i / 2], i % 2 * 16 + 12, 15), 4 * i);
        };
        const Floats d =
            lowHalvesToFloats(bitOr(bitOr(nibbleOfD(0), nibbleOfD(1)), bitOr(nibbleOfD(2), nibbleOfD(3))));
        for (int k = 0; k < 16; ++k) {
            const Ints scale = bitsFrom(words[k / 8], k / 4 % 2 * 16 + k % 4 * 3, 7);
            unit.scales[k / 2][k % 2] = oddScale(d, scale, kScaleUnit);
        }
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Iq1S>(), blockMatmulEntry<Iq1M>()};

}  // namespace

extern const KernelList list = {kEntries, 2};

}  // namespace ingle::kernels::INGLE_ISA::matmul_iq1
