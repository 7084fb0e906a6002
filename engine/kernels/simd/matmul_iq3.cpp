// IQ3_XXS and IQ3_S: see engine/quant/iq3_block.h.
#include "engine/kernels/simd/grids.h"
#include "engine/quant/grids/iq3_s.h"
#include "engine/quant/grids/iq3_xxs.h"

namespace ingle::kernels::INGLE_ISA::matmul_iq3 {
namespace {

struct Iq3Xxs {
    static constexpr quant::Quant kQuant = quant::kIQ3_XXS;
    static constexpr uint32_t kUnitBytes = 98;
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 64 + 62;
    static constexpr int kOffsetShift = 6;

    static void unpack(const Rows& rows, Unit<Iq3Xxs>& unit) {
        const Floats d = loadHalves(rows, 0);
        for (uint32_t half = 0; half < 2; ++half) {
            Ints words[4];  // signs and scale of a block each
            loadColumn(rows, 66 + 16 * half, words);
            for (uint32_t c = 0; c < 2; ++c) {
                Ints column[4];  // indices of half a block each
                loadColumn(rows, 2 + 32 * half + 16 * c, column);
                for (uint32_t i = 0; i < 2; ++i) {
                    const Ints word = words[2 * c + i];
                    const uint32_t block = 4 * half + 2 * c + i;
                    const Ints signs = withEighthSign(sevenBitsToBytes(word));
                    for (uint32_t g = 0; g < kGroups; ++g) {
                        const Ints index = bitsFrom(column[2 * i + g / 4], g % 4 * 8, 255);
                        unit.bytes[block][g] = signedBytes(lookUp32(quant::kIq3XxsGrid, index), signs, g / 2,
                                                           g % 2, 1 << kOffsetShift);
                    }
                    unit.scales[block][0] = oddScale(d, shiftRight(word, 28), 0.25F);
                }
            }
        }
    }
};

struct Iq3S {
    static constexpr quant::Quant kQuant = quant::kIQ3_S;
    static constexpr uint32_t kUnitBytes = 110;
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;
    static constexpr uint32_t kMaxByte = 16 + 15;
    static constexpr int kOffsetShift = 4;

    static void unpack(const Rows& rows, Unit<Iq3S>& unit) {
        // Words from byte 66 on: ninth bits of the indices, the signs of eight blocks, scales. The last
        // column begins earlier, so that nothing behind the row is touched.
        Ints words[12];
        loadColumn(rows, 66, words);
        loadColumn(rows, 82, words + 4);
        loadColumn(rows, 94, words + 7);
        const Ints* const signs = words + 2;
        const Ints scales = words[10];
        const Floats d = loadHalves(rows, 0);
        for (uint32_t c = 0; c < 4; ++c) {
            Ints column[4];  // low bytes of the indices, of half a block each
            loadColumn(rows, 2 + 16 * c, column);
            for (uint32_t i = 0; i < 2; ++i) {
                const uint32_t block = 2 * c + i;
                for (uint32_t g = 0; g < kGroups; ++g) {
                    const Ints ninth = bitsFrom(words[block / 4], static_cast<int>(block % 4 * 8 + g), 1);
                    const Ints index =
                        bitOr(bitsFrom(column[2 * i + g / 4], g % 4 * 8, 255), shiftLeft(ninth, 8));
                    unit.bytes[block][g] = signedBytes(lookUp32(quant::kIq3SGrid, index), signs[block], g / 2,
                                                       g % 2, 1 << kOffsetShift);
                }
                unit.scales[block][0] = oddScale(d, bitsFrom(scales, 4 * static_cast<int>(block), 15), 1);
            }
        }
    }
};

constexpr KernelEntry kEntries[] = {blockMatmulEntry<Iq3Xxs>(), blockMatmulEntry<Iq3S>()};

}  // namespace

extern const KernelList list = {kEntries, 2};

}  // namespace ingle::kernels::INGLE_ISA::matmul_iq3
