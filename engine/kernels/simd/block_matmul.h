/// Matmul of block-quantised weights with ActivationBlocks, for any format that can be unpacked into bytes,
/// scales and minimums. A vector holds one number of kLanes outputs. Contract: kernel_table.h.
///
/// A format states
///     kQuant, kUnitBytes, kUnitBlocks   what is unpacked at a time: its block, and how many of 32 values
///     kScales                           per block of 32: 1, or 2 (one for each half)
///     kHasMins                          whether as many minimums are added, each * sum of activations
///     kMaxByte, kOffsetShift            bytes, kMaxByte at most, are value + 2^kOffsetShift, or as below
///     unpack(rows, unit)                of kLanes rows at once
///     kScaledBeside                     if scales and minimums are read from MatmulArgs::beside
#pragma once

#include "engine/kernels/simd/simd.h"

namespace ingle::kernels {
namespace {

constexpr uint32_t kGroups = kActivationBlock / 4;  ///< of four bytes, in a block

/// What else kOffsetShift may be: the bytes hold the values; or each unit says what they hold beyond them.
constexpr int kNoOffset = -1;
constexpr int kOffsetOfUnit = -2;

template <int kOffsetShift>
struct UnitOffset {};
template <>
struct UnitOffset<kOffsetOfUnit> {
    Ints offset;  ///< of 15 bits
};

/// One unpacked unit of kLanes outputs.
template <typename Format>
struct Unit : UnitOffset<Format::kOffsetShift> {
    Ints bytes[Format::kUnitBlocks][kGroups];
    Floats scales[Format::kUnitBlocks][Format::kScales];
    Floats mins[Format::kHasMins ? Format::kUnitBlocks : 1][Format::kScales];
};

/// Whether blocks of a unit can be unpacked one by one: each just before it is multiplied, it need not leave
/// the registers, and loads and prefetches take turns.
template <typename Format>
concept UnpacksBlocks = requires(const Rows& rows, Unit<Format>& unit) {
    Format::unpackBlock(rows, unit, 0);
};

template <typename Format>
concept ScaledBeside = requires {
    Format::kScaledBeside;
};

/// Scales and minimums that lie beside the units: of formats that have them in their units, none.
template <typename Format>
struct BesideReader {
    BesideReader(const MatmulArgs&, uint32_t, uint32_t) {}
    void next(Unit<Format>&) {}
};

template <ScaledBeside Format>
class BesideReader<Format> {
  public:
    BesideReader(const MatmulArgs& args, uint32_t firstOut, uint32_t firstUnit)
        : m_beside(args.beside),
          m_group(firstOut * args.beside.rowStride + firstUnit / args.beside.groupBlocks),
          m_left(args.beside.groupBlocks - firstUnit % args.beside.groupBlocks) {
        readGroup();
    }
    /// Of the next unit, which is one block.
    void next(Unit<Format>& unit) {
        if (m_left == 0) {
            ++m_group;
            m_left = m_beside.groupBlocks;
            readGroup();
        }
        --m_left;
        unit.scales[0][0] = m_scales;
        if constexpr (Format::kHasMins) unit.mins[0][0] = m_mins;
    }

  private:
    /// The number of the group in each row.
    Floats gather(const float* numbers) const {
        const Rows rows(reinterpret_cast<const std::byte*>(numbers + m_group),
                        m_beside.rowStride * sizeof(float));
        return asFloats(gatherInts(rows, 0));
    }
    void readGroup() {
        m_scales = gather(m_beside.scales);
        if constexpr (Format::kHasMins) {
            if (m_beside.offsets)
                m_mins = gather(m_beside.offsets);
            else if (m_beside.zeros)
                m_mins = negate(multiply(m_scales, gather(m_beside.zeros)));
            else
                m_mins = zeroFloats();
        }
    }

    const ScalesBeside& m_beside;
    size_t m_group;   ///< of the first row
    uint32_t m_left;  ///< units of the group
    Floats m_scales, m_mins;
};

/// Reads the units of kLanes rows of weights one after another.
template <typename Format>
class Units {
  public:
    Units(const MatmulArgs& args, uint32_t firstOut, uint32_t firstUnit)
        : m_rows(args.weights + firstOut * args.weightRowBytes + firstUnit * Format::kUnitBytes,
                 args.weightRowBytes),
          m_beside(args, firstOut, firstUnit) {}

    /// All of a unit but those of its blocks that block() unpacks.
    [[gnu::always_inline]] void begin(Unit<Format>& unit) {
        if constexpr (UnpacksBlocks<Format>)
            Format::unpackHead(m_rows, unit);
        else
            Format::unpack(m_rows, unit);
        m_beside.next(unit);
    }
    [[gnu::always_inline]] void block(Unit<Format>& unit, uint32_t block) const {
        if constexpr (UnpacksBlocks<Format>) Format::unpackBlock(m_rows, unit, block);
    }
    [[gnu::always_inline]] void end() { m_rows.advance(Format::kUnitBytes); }

    /// All of the next unit.
    [[gnu::always_inline]] void next(Unit<Format>& unit) {
        begin(unit);
        for (uint32_t b = 0; b < Format::kUnitBlocks; ++b) block(unit, b);
        end();
    }

  private:
    Rows m_rows;
    BesideReader<Format> m_beside;
};

/// Takes one block of 32 of R rows into R × N vectors of outputs.
template <typename Format, uint32_t R, uint32_t N>
[[gnu::always_inline]] inline void multiplyBlock(const Unit<Format>* units, size_t unitStride, uint32_t block,
                                                 const ActivationBlock* x, size_t xStride,
                                                 Floats (&sums)[R][N]) {
    using BlockDots = Dots<Format::kMaxByte>;
    constexpr uint32_t kPart = kGroups / Format::kScales;
    for (uint32_t part = 0; part < Format::kScales; ++part) {
        BlockDots dots[R][N];
        for (uint32_t r = 0; r < R; ++r) {
            const ActivationBlock& row = x[r * xStride];
            const Ints minusSum = broadcastInt(Format::kScales == 1 ? row.minusSum : row.minusHalves[part]);
            for (uint32_t n = 0; n < N; ++n) {
                if constexpr (Format::kOffsetShift == kNoOffset)
                    dots[r][n] = {zeroInts()};
                else if constexpr (Format::kOffsetShift == kOffsetOfUnit)
                    dots[r][n] = {multiplyShorts(units[n * unitStride].offset, minusSum)};
                else
                    dots[r][n] = {shiftLeft(minusSum, Format::kOffsetShift)};
            }
        }
        for (uint32_t g = 0; g < kPart; ++g) {
            const uint32_t group = part * kPart + g;
            for (uint32_t r = 0; r < R; ++r) {
                const Ints activations = broadcastBytes(x[r * xStride].q + 4 * group);
                for (uint32_t n = 0; n < N; ++n) {
                    dots[r][n].step(units[n * unitStride].bytes[block][group], activations);
                    if ((g + 1) % BlockDots::kSteps == 0 || g + 1 == kPart) dots[r][n].settle();
                }
            }
        }
        for (uint32_t r = 0; r < R; ++r) {
            const Floats xScale = broadcast(x[r * xStride].scale);
            for (uint32_t n = 0; n < N; ++n) {
                sums[r][n] = fma(multiply(units[n * unitStride].scales[block][part], xScale),
                                 toFloats(dots[r][n].sums), sums[r][n]);
            }
        }
        if constexpr (Format::kHasMins) {
            for (uint32_t r = 0; r < R; ++r) {
                const ActivationBlock& row = x[r * xStride];
                const Floats xSum =
                    broadcast(Format::kScales == 1 ? row.scaledSum
                                                   : row.scale * static_cast<float>(-row.minusHalves[part]));
                for (uint32_t n = 0; n < N; ++n)
                    sums[r][n] = fma(units[n * unitStride].mins[block][part], xSum, sums[r][n]);
            }
        }
    }
}

/// Where a vector of outputs lies: it starts at `first`, of which [begin, end) are wanted. At the end of the
/// matrix it is moved back, so that every load stays inside.
struct OutputVector {
    uint32_t first, begin, end;

    OutputVector(const MatmulArgs& args, uint32_t out)
        : first(out + kLanes <= args.numOut ? out : args.numOut - kLanes),
          begin(out - first),
          end(args.outEnd - first < kLanes ? args.outEnd - first : kLanes) {}
};

/// R rows, straight from the weights: decoding is bound by reading them once.
template <typename Format, uint32_t R>
void multiplyFewRows(const MatmulArgs& args, const ActivationBlock* x, size_t xStride, float* y) {
    const uint32_t numUnits = args.k / kActivationBlock / Format::kUnitBlocks;
    for (uint32_t out = args.outBegin; out < args.outEnd;) {
        const OutputVector at(args, out);
        const std::byte* first = args.weights + at.first * args.weightRowBytes;
        Units<Format> units(args, at.first, 0);
        // The rows of a vector are read side by side, which hides from the processor that they follow each
        // other in memory: the next ones are asked for here, in the order in which they lie. Into the
        // second-level cache: the first (32 KiB) does not hold two vectors of rows. Behind the last vector
        // lie another thread's rows, or those of an expert that was not chosen.
        const bool isLast = at.first + at.end >= args.outEnd;
        const std::byte* next = isLast ? first : first + kLanes * args.weightRowBytes;
        Floats sums[R][1];
        for (auto& sum : sums) sum[0] = zeroFloats();
        const ActivationBlock* block = x;
        for (uint32_t u = 0; u < numUnits; ++u) {
            Unit<Format> unit;
            units.begin(unit);
            for (uint32_t b = 0; b < Format::kUnitBlocks; ++b, ++block) {
                units.block(unit, b);
                constexpr uint32_t kBytes = kLanes * Format::kUnitBytes / Format::kUnitBlocks;
                for (uint32_t line = 0; line < kBytes; line += 64) prefetch(next + line);
                next += kBytes;
                multiplyBlock<Format, R, 1>(&unit, 0, b, block, xStride, sums);
            }
            units.end();
        }
        for (uint32_t r = 0; r < R; ++r)
            storeLanes(y + r * args.yStride + at.first, sums[r][0], at.begin, at.end);
        out = at.first + at.end;
    }
}

/// Unpacked at a time when many rows share the work: small enough to stay in the first-level cache (16 blocks
/// × 32 bytes × 32 outputs = 16 KiB) with the activations beside it.
constexpr uint32_t kPieceBlocks = 16;

/// N vectors of outputs, a piece of k.
template <typename Format, uint32_t N>
struct Piece {
    static constexpr uint32_t kUnits = kPieceBlocks / Format::kUnitBlocks;
    Unit<Format> units[N][kUnits];
};

/// Adds a piece's `numUnits` units to R rows × N vectors at y; the first piece starts from zero. Where `next`
/// is not null, as many units are asked for there meanwhile: all at once they would have to wait for each
/// other.
template <typename Format, uint32_t R, uint32_t N>
void multiplyTile(const Piece<Format, N>& piece, uint32_t numUnits, const ActivationBlock* x, size_t xStride,
                  float* y, size_t yStride, bool first, const std::byte* next) {
    Floats sums[R][N];
    for (uint32_t r = 0; r < R; ++r) {
        for (uint32_t n = 0; n < N; ++n)
            sums[r][n] = first ? zeroFloats() : load(y + r * yStride + n * kLanes);
    }
    for (uint32_t u = 0; u < numUnits; ++u) {
        if (next != nullptr) {
            constexpr uint32_t kBytes = N * kLanes * Format::kUnitBytes;
            for (uint32_t line = 0; line < kBytes; line += 64) prefetch(next + line);
            next += kBytes;
        }
        for (uint32_t b = 0; b < Format::kUnitBlocks; ++b, ++x) {
            multiplyBlock<Format, R, N>(&piece.units[0][u], Piece<Format, N>::kUnits, b, x, xStride, sums);
        }
    }
    for (uint32_t r = 0; r < R; ++r) {
        for (uint32_t n = 0; n < N; ++n) store(y + r * yStride + n * kLanes, sums[r][n]);
    }
}

/// multiplyTile for a number of rows known at run time, 1 … R.
template <typename Format, uint32_t R, uint32_t N>
void multiplyRows(uint32_t numRows, const Piece<Format, N>& piece, uint32_t numUnits,
                  const ActivationBlock* x, size_t xStride, float* y, size_t yStride, bool first,
                  const std::byte* next) {
    if constexpr (R > 1) {
        if (numRows < R) {
            multiplyRows<Format, R - 1, N>(numRows, piece, numUnits, x, xStride, y, yStride, first, next);
            return;
        }
    }
    multiplyTile<Format, R, N>(piece, numUnits, x, xStride, y, yStride, first, next);
}

/// Many rows: N vectors of outputs are unpacked piece by piece, and each piece serves all rows.
template <typename Format, uint32_t N>
void multiplyManyRows(const MatmulArgs& args, const ActivationBlock* x, size_t xStride, uint32_t out) {
    const uint32_t numUnits = args.k / kActivationBlock / Format::kUnitBlocks;
    Piece<Format, N> piece;
    // The vectors that follow, asked for in the order in which they lie, while the first tile is multiplied.
    const std::byte* next = args.weights + (out + N * kLanes) * args.weightRowBytes;
    for (uint32_t begin = 0; begin < numUnits; begin += piece.kUnits) {
        const uint32_t count = numUnits - begin < piece.kUnits ? numUnits - begin : piece.kUnits;
        for (uint32_t n = 0; n < N; ++n) {
            Units<Format> units(args, out + n * kLanes, begin);
            for (uint32_t u = 0; u < count; ++u) units.next(piece.units[n][u]);
        }
        for (uint32_t row = 0; row < args.numRows; row += kTileRows) {
            const uint32_t tile = args.numRows - row < kTileRows ? args.numRows - row : kTileRows;
            multiplyRows<Format, kTileRows, N>(
                tile, piece, count, x + row * xStride + begin * Format::kUnitBlocks, xStride,
                args.y + row * args.yStride + out, args.yStride, begin == 0, row == 0 ? next : nullptr);
        }
        next += count * N * kLanes * Format::kUnitBytes;
    }
}

template <typename Format, uint32_t R = kFewRows>
void multiplyFew(const MatmulArgs& args, uint32_t numRows, const ActivationBlock* x, size_t xStride,
                 float* y) {
    if constexpr (R > 1) {
        if (numRows < R) {
            multiplyFew<Format, R - 1>(args, numRows, x, xStride, y);
            return;
        }
    }
    multiplyFewRows<Format, R>(args, x, xStride, y);
}

template <typename Format>
void blockMatmul(const MatmulArgs& args) noexcept {
    const auto* x = reinterpret_cast<const ActivationBlock*>(args.x);
    const size_t xStride = args.xRowBytes / sizeof(ActivationBlock);
    MatmulArgs rest = args;
    if (args.numRows > kFewRows) {
        constexpr uint32_t kVectors = kTileVectors<Format::kMaxByte>;
        constexpr uint32_t kWide = kLanes * kVectors;
        for (; rest.outBegin + kWide <= args.outEnd; rest.outBegin += kWide) {
            multiplyManyRows<Format, kVectors>(args, x, xStride, rest.outBegin);
        }
    }
    for (uint32_t row = 0; row < args.numRows && rest.outBegin < args.outEnd; row += kFewRows) {
        const uint32_t count = args.numRows - row < kFewRows ? args.numRows - row : kFewRows;
        multiplyFew<Format>(rest, count, x + row * xStride, xStride, args.y + row * args.yStride);
    }
}

template <typename Format>
constexpr KernelEntry blockMatmulEntry() {
    return {.op = KernelOp::Matmul,
            .isa = kIsa,
            .fn = {.matmul = blockMatmul<Format>},
            .weight = Format::kQuant,
            .activation = ActivationForm::Blocks,
            .minOutputs = kLanes};
}

}  // namespace
}  // namespace ingle::kernels
