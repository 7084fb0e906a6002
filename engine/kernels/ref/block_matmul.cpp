#include "engine/kernels/ref/block_matmul.h"

#include <cmath>

#include "engine/quant/block.h"
#include "engine/quant/grids/iq4.h"
#include "engine/quant/grids/mxfp4.h"
#include "engine/quant/group_block.h"
#include "engine/quant/iq1_block.h"
#include "engine/quant/iq2_block.h"
#include "engine/quant/iq3_block.h"
#include "engine/quant/nvfp4_block.h"
#include "engine/quant/tq_block.h"

namespace ingle::kernels {
namespace {

using quant::byteAt;
using quant::halfAt;
using quant::signedByteAt;

/// Formats that are integers with scales beside them.
template <typename Format>
concept ScaledBeside = requires {
    Format::kScaledBeside;
};

/// The exact dot of count values from `first` on.
int32_t dot(const WeightBlock& w, const ActivationBlock& x, uint32_t first, uint32_t count) {
    int32_t sum = 0;
    for (uint32_t i = first; i < first + count; ++i) sum += w.q[i] * x.q[i];
    return sum;
}

/// y with one block added, in the order kernel_table.h fixes.
template <typename Format>
float addBlock(const WeightBlock& w, const ActivationBlock& x, float y) {
    constexpr uint32_t kPart = kActivationBlock / Format::kScales;
    for (uint32_t part = 0; part < Format::kScales; ++part) {
        y = std::fma(w.scales[part] * x.scale, static_cast<float>(dot(w, x, part * kPart, kPart)), y);
        if constexpr (Format::kHasMins) {
            const float xSum =
                Format::kScales == 1 ? x.scaledSum : x.scale * static_cast<float>(-x.minusHalves[part]);
            y = std::fma(w.mins[part], xSum, y);
        }
    }
    return y;
}

/// Scale and minimum of one block of 32 of row `out`.
void readScales(const ScalesBeside& beside, uint32_t out, uint32_t block, WeightBlock& weights) {
    const size_t at = out * beside.rowStride + block / beside.groupBlocks;
    weights.scales[0] = beside.scales[at];
    weights.mins[0] = beside.offsets ? beside.offsets[at]
                      : beside.zeros ? -(beside.scales[at] * beside.zeros[at])
                                     : 0.0F;
}

template <typename Format>
void matmul(const MatmulArgs& args) noexcept {
    const uint32_t numUnits = args.k / kActivationBlock / Format::kUnitBlocks;
    const auto* x = reinterpret_cast<const ActivationBlock*>(args.x);
    const size_t xStride = args.xRowBytes / sizeof(ActivationBlock);
    for (uint32_t out = args.outBegin; out < args.outEnd; ++out) {
        for (uint32_t r = 0; r < args.numRows; ++r) args.y[r * args.yStride + out] = 0;
        for (uint32_t u = 0; u < numUnits; ++u) {
            WeightBlock blocks[Format::kUnitBlocks];
            Format::read(args.weights + out * args.weightRowBytes + u * Format::kUnitBytes, blocks);
            if constexpr (ScaledBeside<Format>) readScales(args.beside, out, u, blocks[0]);
            for (uint32_t r = 0; r < args.numRows; ++r) {
                float& y = args.y[r * args.yStride + out];
                const ActivationBlock* row = x + r * xStride + u * Format::kUnitBlocks;
                for (uint32_t b = 0; b < Format::kUnitBlocks; ++b) y = addBlock<Format>(blocks[b], row[b], y);
            }
        }
    }
}

struct Q4_0 {
    static constexpr quant::Quant kQuant = quant::kQ4_0;
    static constexpr uint32_t kUnitBytes = 18;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;

    static void read(const std::byte* unit, WeightBlock* block) {
        block->scales[0] = halfAt(unit);
        for (uint32_t i = 0; i < kActivationBlock; ++i)
            block->q[i] = static_cast<int32_t>(quant::nibbleOf32(unit + 2, i)) - 8;
    }
};

struct Q8_0 {
    static constexpr quant::Quant kQuant = quant::kQ8_0;
    static constexpr uint32_t kUnitBytes = 34;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;

    static void read(const std::byte* unit, WeightBlock* block) {
        block->scales[0] = halfAt(unit);
        for (uint32_t i = 0; i < kActivationBlock; ++i) block->q[i] = signedByteAt(unit + 2 + i);
    }
};

struct Q4_1 {
    static constexpr quant::Quant kQuant = quant::kQ4_1;
    static constexpr uint32_t kUnitBytes = 20;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = true;

    static void read(const std::byte* unit, WeightBlock* block) {
        block->scales[0] = halfAt(unit);
        block->mins[0] = halfAt(unit + 2);
        for (uint32_t i = 0; i < kActivationBlock; ++i)
            block->q[i] = static_cast<int32_t>(quant::nibbleOf32(unit + 4, i));
    }
};

/// Scales and minimums of the eight blocks of a Q4_K or Q5_K unit.
void readScalesAndMins(const std::byte* unit, WeightBlock* blocks) {
    for (uint32_t k = 0; k < 8; ++k) {
        const auto [scale, min] = quant::scaleAndMin(unit + 4, k);
        blocks[k].scales[0] = halfAt(unit) * static_cast<float>(scale);
        blocks[k].mins[0] = -(halfAt(unit + 2) * static_cast<float>(min));
    }
}

struct Q4_K {
    static constexpr quant::Quant kQuant = quant::kQ4_K;
    static constexpr uint32_t kUnitBytes = 144;
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = true;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        readScalesAndMins(unit, blocks);
        for (uint32_t k = 0; k < 8; ++k) {
            for (uint32_t i = 0; i < kActivationBlock; ++i)
                blocks[k].q[i] = static_cast<int32_t>(byteAt(unit + 16 + k / 2 * 32 + i) >> (k % 2 * 4) & 15);
        }
    }
};

struct Q5_K {
    static constexpr quant::Quant kQuant = quant::kQ5_K;
    static constexpr uint32_t kUnitBytes = 176;
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = true;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        readScalesAndMins(unit, blocks);
        for (uint32_t k = 0; k < 8; ++k) {
            for (uint32_t i = 0; i < kActivationBlock; ++i) {
                const uint32_t low = byteAt(unit + 48 + k / 2 * 32 + i) >> (k % 2 * 4) & 15;
                const uint32_t fifth = byteAt(unit + 16 + i) >> k & 1;
                blocks[k].q[i] = static_cast<int32_t>(low | fifth << 4);
            }
        }
    }
};

struct Q6_K {
    static constexpr quant::Quant kQuant = quant::kQ6_K;
    static constexpr uint32_t kUnitBytes = 210;
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 2;
    static constexpr bool kHasMins = false;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        const float d = halfAt(unit + 208);
        for (uint32_t k = 0; k < 8; ++k) {
            for (uint32_t half = 0; half < 2; ++half)
                blocks[k].scales[half] = d * static_cast<float>(signedByteAt(unit + 192 + 2 * k + half));
            for (uint32_t i = 0; i < kActivationBlock; ++i) {
                const uint32_t low = byteAt(unit + k / 4 * 64 + k % 2 * 32 + i) >> (k % 4 / 2 * 4) & 15;
                const uint32_t upper = quant::bitPairOf256(unit + 128, k * kActivationBlock + i);
                blocks[k].q[i] = static_cast<int32_t>(low | upper << 4) - 32;
            }
        }
    }
};

/// What a block of 256 values has in common: eight blocks of 32.
struct SuperBlock {
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr bool kHasMins = false;
};

struct Q5_0 {
    static constexpr quant::Quant kQuant = quant::kQ5_0;
    static constexpr uint32_t kUnitBytes = 22;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;

    static void read(const std::byte* unit, WeightBlock* block) {
        block->scales[0] = halfAt(unit);
        for (uint32_t i = 0; i < kActivationBlock; ++i) block->q[i] = fiveBits(unit + 2, i) - 16;
    }
    /// Value i: 32 fifth bits, then nibbles.
    static int32_t fiveBits(const std::byte* at, uint32_t i) {
        const uint32_t fifth = quant::u32At(at) >> i & 1;
        return static_cast<int32_t>(quant::nibbleOf32(at + 4, i) | fifth << 4);
    }
};

struct Q5_1 {
    static constexpr quant::Quant kQuant = quant::kQ5_1;
    static constexpr uint32_t kUnitBytes = 24;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = true;

    static void read(const std::byte* unit, WeightBlock* block) {
        block->scales[0] = halfAt(unit);
        block->mins[0] = halfAt(unit + 2);
        for (uint32_t i = 0; i < kActivationBlock; ++i) block->q[i] = Q5_0::fiveBits(unit + 4, i);
    }
};

struct Q2_K {
    static constexpr quant::Quant kQuant = quant::kQ2_K;
    static constexpr uint32_t kUnitBytes = 84;
    static constexpr uint32_t kUnitBlocks = 8;
    static constexpr uint32_t kScales = 2;
    static constexpr bool kHasMins = true;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        for (uint32_t k = 0; k < 16; ++k) {
            blocks[k / 2].scales[k % 2] = halfAt(unit + 80) * static_cast<float>(byteAt(unit + k) & 15);
            blocks[k / 2].mins[k % 2] = -(halfAt(unit + 82) * static_cast<float>(byteAt(unit + k) >> 4));
        }
        for (uint32_t e = 0; e < 256; ++e)
            blocks[e / 32].q[e % 32] = static_cast<int32_t>(quant::bitPairOf256(unit + 16, e));
    }
};

struct Q3_K : SuperBlock {
    static constexpr quant::Quant kQuant = quant::kQ3_K;
    static constexpr uint32_t kUnitBytes = 110;
    static constexpr uint32_t kScales = 2;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        for (uint32_t k = 0; k < 16; ++k) {
            blocks[k / 2].scales[k % 2] =
                halfAt(unit + 108) * static_cast<float>(quant::scaleOfQ3K(unit + 96, k));
        }
        for (uint32_t e = 0; e < 256; ++e) {
            const uint32_t third = byteAt(unit + e % 32) >> (e / 32) & 1;
            blocks[e / 32].q[e % 32] =
                static_cast<int32_t>(quant::bitPairOf256(unit + 32, e) | third << 2) - 4;
        }
    }
};

struct Iq4Nl {
    static constexpr quant::Quant kQuant = quant::kIQ4_NL;
    static constexpr uint32_t kUnitBytes = 18;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;

    static void read(const std::byte* unit, WeightBlock* block) {
        block->scales[0] = halfAt(unit);
        readLevels(unit + 2, quant::kIq4Levels, *block);
    }
    static void readLevels(const std::byte* nibbles, const float (&levels)[16], WeightBlock& block) {
        for (uint32_t i = 0; i < kActivationBlock; ++i)
            block.q[i] = static_cast<int32_t>(levels[quant::nibbleOf32(nibbles, i)]);
    }
};

struct Iq4Xs : SuperBlock {
    static constexpr quant::Quant kQuant = quant::kIQ4_XS;
    static constexpr uint32_t kUnitBytes = 136;
    static constexpr uint32_t kScales = 1;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        for (uint32_t k = 0; k < 8; ++k) {
            blocks[k].scales[0] = halfAt(unit) * static_cast<float>(quant::scaleOfIq4Xs(unit + 2, k));
            Iq4Nl::readLevels(unit + 8 + 16 * k, quant::kIq4Levels, blocks[k]);
        }
    }
};

struct Mxfp4 {
    static constexpr quant::Quant kQuant = quant::kMXFP4;
    static constexpr uint32_t kUnitBytes = 17;
    static constexpr uint32_t kUnitBlocks = 1;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;

    static void read(const std::byte* unit, WeightBlock* block) {
        block->scales[0] = std::ldexp(1.0F, static_cast<int>(byteAt(unit)) - 128);
        Iq4Nl::readLevels(unit + 1, quant::kMxfp4Levels, *block);
    }
};

/// quant/nvfp4_block.h
struct Nvfp4 {
    static constexpr quant::Quant kQuant = quant::kNVFP4;
    static constexpr uint32_t kUnitBytes = quant::Nvfp4Block::kBytes;
    static constexpr uint32_t kUnitBlocks = 2;
    static constexpr uint32_t kScales = 2;
    static constexpr bool kHasMins = false;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        for (uint32_t e = 0; e < quant::Nvfp4Block::kElems; ++e) {
            WeightBlock& block = blocks[e / kActivationBlock];
            block.scales[e % kActivationBlock / 16] = quant::Nvfp4Block::scale(unit, e);
            block.q[e % kActivationBlock] =
                static_cast<int32_t>(quant::kMxfp4Levels[quant::Nvfp4Block::nibble(unit, e)]);
        }
    }
};

struct Q1_0 {
    static constexpr quant::Quant kQuant = quant::kQ1_0;
    static constexpr uint32_t kUnitBytes = 18;
    static constexpr uint32_t kUnitBlocks = 4;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        for (uint32_t b = 0; b < kUnitBlocks; ++b) {
            blocks[b].scales[0] = halfAt(unit);
            const uint32_t word = quant::u32At(unit + 2 + 4 * b);
            for (uint32_t i = 0; i < kActivationBlock; ++i) blocks[b].q[i] = (word >> i & 1) != 0 ? 1 : -1;
        }
    }
};

struct Q2_0 {
    static constexpr quant::Quant kQuant = quant::kQ2_0;
    static constexpr uint32_t kUnitBytes = 18;
    static constexpr uint32_t kUnitBlocks = 2;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        for (uint32_t e = 0; e < kUnitBlocks * kActivationBlock; ++e) {
            WeightBlock& block = blocks[e / kActivationBlock];
            block.scales[0] = halfAt(unit);
            block.q[e % kActivationBlock] = static_cast<int32_t>(quant::bitPairAt(unit + 2, e)) - 1;
        }
    }
};

/// IQ2 and IQ3: quant/grid_block.h.
template <typename Block, uint32_t kId, uint32_t kScaleCount>
struct SignedGrid : SuperBlock {
    static constexpr quant::Quant kQuant{kId};
    static constexpr uint32_t kUnitBytes = Block::kBytes;
    static constexpr uint32_t kScales = kScaleCount;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        for (uint32_t i = 0; i < 32; ++i) {
            const quant::SignedGroup group = Block::group(unit, i);
            WeightBlock& block = blocks[i / 4];
            block.scales[i % 4 * kScales / 4] =
                halfAt(unit) * static_cast<float>(2 * group.scale + 1) * Block::kUnit;
            for (uint32_t e = 0; e < 8; ++e) {
                const int32_t magnitude = quant::gridByte(group.magnitudes, e);
                block.q[i % 4 * 8 + e] = (group.signs >> e & 1) != 0 ? -magnitude : magnitude;
            }
        }
    }
};

/// IQ1: quant/grid_block.h. In eighths.
template <typename Block, uint32_t kId, uint32_t kScaleCount>
struct ShiftedGrid : SuperBlock {
    static constexpr quant::Quant kQuant{kId};
    static constexpr uint32_t kUnitBytes = Block::kBytes;
    static constexpr uint32_t kScales = kScaleCount;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        const float d = base::f16ToF32(Block::d(unit));
        for (uint32_t i = 0; i < 32; ++i) {
            const quant::ShiftedGroup group = Block::group(unit, i);
            WeightBlock& block = blocks[i / 4];
            block.scales[i % 4 * kScales / 4] = d * static_cast<float>(2 * group.scale + 1) * 0.125F;
            for (uint32_t e = 0; e < 8; ++e) {
                const int32_t value = static_cast<int8_t>(quant::gridByte(group.values, e));
                block.q[i % 4 * 8 + e] = 8 * value + (group.shiftsDown ? -1 : 1);
            }
        }
    }
};

/// TQ1_0 and TQ2_0: quant/tq_block.h.
template <typename Block, uint32_t kId>
struct Ternary : SuperBlock {
    static constexpr quant::Quant kQuant{kId};
    static constexpr uint32_t kUnitBytes = Block::kBytes;
    static constexpr uint32_t kScales = 1;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        const quant::TernaryLevels levels = Block::levels(unit);
        for (uint32_t e = 0; e < levels.size(); ++e) {
            blocks[e / 32].scales[0] = halfAt(unit + Block::kD);
            blocks[e / 32].q[e % 32] = static_cast<int32_t>(levels[e]) - 1;
        }
    }
};

template <uint32_t kBits, uint32_t kElems>
struct Group {
    static constexpr quant::Quant kQuant = quant::groupQuant(kBits, kElems);
    static constexpr uint32_t kUnitBytes = quant::GroupBlock<kBits, kElems>::kBytes;
    static constexpr uint32_t kUnitBlocks = kElems / kActivationBlock;
    static constexpr uint32_t kScales = 1;
    static constexpr bool kHasMins = false;

    static void read(const std::byte* unit, WeightBlock* blocks) {
        const int32_t zero = quant::groupZeroAt(unit);
        for (uint32_t e = 0; e < kElems; ++e) {
            WeightBlock& block = blocks[e / kActivationBlock];
            block.scales[0] = quant::groupScaleAt(unit);
            block.q[e % kActivationBlock] = static_cast<int32_t>(quant::groupLevel<kBits>(unit, e)) - zero;
        }
    }
};

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

    static void read(const std::byte* unit, WeightBlock* block) {
        for (uint32_t i = 0; i < kActivationBlock; ++i) block->q[i] = signedByteAt(unit + i);
    }
};

struct Uint8 : Integers {
    static constexpr quant::Quant kQuant = quant::kUint8;
    static constexpr uint32_t kUnitBytes = 32;
    static constexpr bool kHasMins = true;

    static void read(const std::byte* unit, WeightBlock* block) {
        for (uint32_t i = 0; i < kActivationBlock; ++i) block->q[i] = static_cast<int32_t>(byteAt(unit + i));
    }
};

struct Uint4 : Integers {
    static constexpr quant::Quant kQuant = quant::kUint4;
    static constexpr uint32_t kUnitBytes = 16;
    static constexpr bool kHasMins = true;

    static void read(const std::byte* unit, WeightBlock* block) {
        for (uint32_t i = 0; i < kActivationBlock; ++i)
            block->q[i] = static_cast<int32_t>(byteAt(unit + i / 2) >> (4 - i % 2 * 4) & 15);
    }
};

template <typename Format>
constexpr KernelEntry entry() {
    return {.op = KernelOp::Matmul,
            .isa = base::Isa::Scalar,
            .fn = {.matmul = matmul<Format>},
            .weight = Format::kQuant,
            .activation = ActivationForm::Blocks};
}

constexpr KernelEntry kEntries[] = {
    entry<Q4_0>(),
    entry<Q4_1>(),
    entry<Q5_0>(),
    entry<Q5_1>(),
    entry<Q8_0>(),
    entry<Q2_K>(),
    entry<Q3_K>(),
    entry<Q4_K>(),
    entry<Q5_K>(),
    entry<Q6_K>(),
    entry<Iq4Nl>(),
    entry<Iq4Xs>(),
    entry<Mxfp4>(),
    entry<Nvfp4>(),
    entry<Q1_0>(),
    entry<Q2_0>(),
    entry<SignedGrid<quant::Iq2XxsBlock, quant::kIQ2_XXS.id, 1>>(),
    entry<SignedGrid<quant::Iq2XsBlock, quant::kIQ2_XS.id, 2>>(),
    entry<SignedGrid<quant::Iq2SBlock, quant::kIQ2_S.id, 2>>(),
    entry<SignedGrid<quant::Iq3XxsBlock, quant::kIQ3_XXS.id, 1>>(),
    entry<SignedGrid<quant::Iq3SBlock, quant::kIQ3_S.id, 1>>(),
    entry<ShiftedGrid<quant::Iq1SBlock, quant::kIQ1_S.id, 1>>(),
    entry<ShiftedGrid<quant::Iq1MBlock, quant::kIQ1_M.id, 2>>(),
    entry<Ternary<quant::Tq1Block, quant::kTQ1_0.id>>(),
    entry<Ternary<quant::Tq2Block, quant::kTQ2_0.id>>(),
    entry<Group<4, 32>>(),
    entry<Group<4, 64>>(),
    entry<Group<4, 128>>(),
    entry<Group<8, 32>>(),
    entry<Group<8, 128>>(),
    entry<Int8>(),
    entry<Uint8>(),
    entry<Uint4>(),
};
constexpr KernelList kList{kEntries, std::size(kEntries)};

}  // namespace

const KernelList& blockMatmulsRef() {
    return kList;
}

}  // namespace ingle::kernels
