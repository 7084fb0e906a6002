/// Kernels and how they are listed. One file per kernel in engine/kernels/simd, compiled once for each
/// instruction set; it defines `extern const KernelList list` in the namespace INGLE_ISA::<file>.
/// Plain data only: such files include this and other plain data, so that no inline function compiled for AVX
/// can be the copy the linker keeps for every processor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/isa.h"
#include "engine/kernels/activation_block.h"
#include "engine/kernels/chunk_rows.inc"
#include "engine/quant/quant.h"

namespace ingle::quant {
struct QuantFormat;
}

namespace ingle::kernels {

/// What a matmul takes for x.
enum class ActivationForm : uint8_t {
    Floats,  ///< f32
    Blocks,  ///< ActivationBlock
};

/// Scales of integers that lie beside them (quant/integers.h): one for each `groupBlocks` blocks of 32 in a
/// row. A value is  scale * q + offset,  or  scale * (q - zero).
struct ScalesBeside {
    const float* scales;   ///< of the matrix's first row; null for block formats
    const float* offsets;  ///< as many, or null
    const float* zeros;    ///< as many, or null; not both
    size_t rowStride;      ///< scales from a row's to the next one's
    uint32_t groupBlocks;
};

/// y[r][o] = sum over i of x[r][i] * w[o][i], for r in [0, numRows), o in [outBegin, outEnd).
/// x: [numRows, k] in the kernel's form; w: [numOut, k] in its block format; y: [numRows, yStride] f32.
///
/// The order of additions into one y depends on k only, never on numRows or the range. For x in blocks it is
/// the same for every kernel of a format, so that all instruction sets give the same bits: for each block of
/// 32 in order, or half of it where halves have scales of their own, y = fma(wScale * xScale, float(dot), y)
/// with the exact integer dot, then, where there is a minimum, y = fma(wMin, xScaledSum, y).
/// engine/kernels/ref/block_matmul.h says what wScale and wMin are.
struct MatmulArgs {
    const quant::QuantFormat* format;  ///< of the weights
    const std::byte* weights;
    size_t weightRowBytes;
    uint32_t numOut;  ///< rows of w
    const std::byte* x;
    size_t xRowBytes;
    float* y;
    size_t yStride;  ///< in floats
    uint32_t numRows;
    uint32_t k;
    uint32_t outBegin;
    uint32_t outEnd;
    ScalesBeside beside{};
};
using MatmulFn = void (*)(const MatmulArgs& args) noexcept;

/// Rounds k floats, a multiple of 32, to blocks; see ref/round_activations.h.
using RoundActivationsFn = void (*)(const float* x, size_t k, ActivationBlock* blocks) noexcept;

/// Multiplies bytes that lie in registers, as products of blocks do, and returns how many products were
/// added: the most that a kernel can reach.
using DotPeakFn = uint64_t (*)(uint32_t steps) noexcept;

/// y_i = f(x_i) for n values; y may be x.
using MapFn = void (*)(const float* x, float* y, size_t n) noexcept;
/// n floats from, or to, 16-bit halves (to nearest, ties to even).
using FromHalvesFn = void (*)(const std::byte* halves, float* y, size_t n) noexcept;
using ToHalvesFn = void (*)(const float* x, std::byte* halves, size_t n) noexcept;

/// Normalisations; see ref/norm.h.
using RmsNormFn = void (*)(const float* x, const float* g, float* y, size_t numRows, size_t dim,
                           float eps) noexcept;
using GroupNormFn = void (*)(const float* x, const float* g, const float* b, float* y, size_t numRows,
                             size_t dim, size_t groups, float eps) noexcept;

/// Keys that attention takes in at a time: a page of the cache.
inline constexpr uint32_t kAttentionKeys = 64;

/// How the keys of a page lie where they are blocks of Q8_0. For 32 dimensions: the scales of all 64 keys, as
/// halves, then for every four dimensions the numbers of each key, 8 bits each. So a product takes four
/// numbers of many keys at once.
struct TurnedBlock {
    static constexpr size_t kGroup = 4;
    static constexpr size_t kGroups = kActivationBlock / kGroup;
    static constexpr size_t kScaleBytes = 2;
    static constexpr size_t kNumbersAt = kAttentionKeys * kScaleBytes;
    static constexpr size_t kGroupBytes = kAttentionKeys * kGroup;
    static constexpr size_t kBytes = kNumbersAt + kGroups * kGroupBytes;
    /// Of one key's block where blocks lie in rows: its scale, then its numbers.
    static constexpr size_t kRowBytes = kScaleBytes + kActivationBlock;
    static_assert(kBytes == kAttentionKeys * kRowBytes);
};

/// What is known after some keys j: acc = sum of exp(s_j - max) v_j, sum = sum of exp(s_j - max).
struct OnlineSoftmax {
    float max = -__builtin_inff();
    float sum = 0;
};

/// Memory that is read after what is at hand: `count` pieces of `bytes`, the first at `first`. Kernels ask
/// for it while they compute; nothing is read where it is empty.
struct ReadNext {
    const std::byte* first = nullptr;
    size_t stride = 0;  ///< from one piece to the next one
    uint32_t count = 0;
    size_t bytes = 0;
};

/// The values of a page's first `count` ≤ 64 keys, as floats, halves or blocks of Q8_0.
struct PageValues {
    const std::byte* rows;  ///< [count, headDim]
    size_t rowBytes;        ///< from one row to the next one
    uint32_t count;
};

/// Attention over a page, of queries that see the same keys of it, in three parts; see ref/attention.h. Keys
/// and values are floats, or halves or blocks of Q8_0 where the op says so.
using TransposeKeysFn = void (*)(const float* rows, size_t headDim, float* keys) noexcept;
using AttentionScoresFn = void (*)(const float* q, uint32_t numQueries, const std::byte* keys, size_t headDim,
                                   float scale, float* scores, const ReadNext& next) noexcept;
using BlockScoresFn = void (*)(const ActivationBlock* q, uint32_t numQueries, const std::byte* keys,
                               size_t headDim, float scale, float* scores, const ReadNext& next) noexcept;
using AbsorbPageFn = void (*)(const float* scores, uint32_t numQueries, const PageValues& values,
                              size_t headDim, OnlineSoftmax* softmax, float* acc,
                              const ReadNext& next) noexcept;

/// One token of one head of RWKV-7, each [n]: receptance, decay, key, value, removal key (length 1),
/// in-context learning rate.
struct Wkv7Token {
    const float *r, *w, *k, *v, *kk, *a;
};

/// Recurrences of RWKV; see ref/wkv5.h and ref/wkv7.h. `removed` is scratch memory that a kernel need not
/// use.
using Wkv5Fn = void (*)(const float* r, const float* k, const float* v, const float* w, size_t wStride,
                        const float* u, size_t uStride, float* state, float* y, size_t n) noexcept;
using Wkv7Fn = void (*)(const Wkv7Token& token, float* state, float* removed, float* y, size_t n) noexcept;

/// Tokens of a chunk: recurrent states that are kept in chunks are as they were at a multiple of it, with the
/// rows since.
inline constexpr size_t kChunkRows = INGLE_CHUNK_ROWS;

/// What a head keeps of a sequence in chunks, see ref/chunks.h.
struct ChunkHead {
    float* matrix;   ///< [keyDim, valueDim]: S at the chunk's start, row = key index, column = value index
    float* changes;  ///< [kChunkRows] rows of [valueDim]: row s of the chunk adds k_s ⊗ changes_s to S
    size_t changeStride;  ///< floats from one row's changes to the next one's
    float* decays;        ///< [kChunkRows]: what row s leaves of what was before it
};
/// Rows [begin, end) of one chunk that are computed; those before `begin` were earlier. The head holds the
/// decays of all, and gets the changes of these.
struct ChunkRows {
    const float* const* keys;  ///< [end] rows of [keyDim]
    uint32_t begin, end;
};

/// Rows of one head of the gated delta rule; see ref/gated_delta.h. What the next one has lies so many floats
/// further on.
struct GatedDeltaRows {
    ChunkRows chunk;
    const float* q;  ///< [keyDim]
    size_t keyStride;
    const float* v;  ///< [valueDim]
    float* y;        ///< [valueDim]
    size_t valueStride;
    const float* rates;
    size_t rateStride;
};
/// Rows of one head of Mamba-2; see ref/mamba_scan.h. As above.
struct MambaRows {
    ChunkRows chunk;  ///< its keys are B
    const float* c;   ///< [keyDim]
    size_t keyStride;
    const float* x;  ///< [valueDim]
    float* y;        ///< [valueDim]
    size_t valueStride;
    const float* steps;  ///< back to back
    float skip;
};

/// Columns of a state that a kernel puts aside at most, side by side, while it works through rows.
inline constexpr size_t kColumnsAside = 64;
/// Scratch memory for one head at a time. Kernels need not use it.
struct ChunkScratch {
    float* gathered;  ///< [kChunkRows, keyDim]: the caller's, for keys side by side
    float* columns;   ///< [kColumnsAside, keyDim + kChunkRows]
    float* found;     ///< [kChunkRows, valueDim]

    /// memory: floats().
    ChunkScratch(float* memory, size_t keyDim)
        : gathered(memory),
          columns(gathered + kChunkRows * keyDim),
          found(columns + kColumnsAside * (keyDim + kChunkRows)) {}
    static size_t floats(size_t keyDim, size_t valueDim) {
        return kChunkRows * keyDim + kColumnsAside * (keyDim + kChunkRows) + kChunkRows * valueDim;
    }
};
using GatedDeltaFn = void (*)(const GatedDeltaRows& rows, const ChunkHead& head, const ChunkScratch& scratch,
                              size_t keyDim, size_t valueDim) noexcept;
using MambaScanFn = void (*)(const MambaRows& rows, const ChunkHead& head, const ChunkScratch& scratch,
                             size_t keyDim, size_t valueDim) noexcept;
/// Brings the matrix to the end of a full chunk; see ref/chunks.h.
using FoldChunkFn = void (*)(const float* const* keys, const ChunkHead& head, const ChunkScratch& scratch,
                             size_t keyDim, size_t valueDim) noexcept;

enum class KernelOp : uint8_t {
    Matmul,
    RoundActivations,
    DotPeak,
#define INGLE_ACTIVATION(number, Kind, function) Kind,
#include "engine/kernels/activation_kinds.inc"
#undef INGLE_ACTIVATION
    FromHalves,
    ToHalves,
    RmsNorm,
    GroupNorm,
    TransposeKeys,
    AttentionScores,
    AttentionScoresOfHalves,
    AttentionScoresOfBlocks,
    AbsorbPage,
    AbsorbPageOfHalves,
    AbsorbPageOfBlocks,
    Wkv5,
    Wkv7,
    GatedDelta,
    MambaScan,
    FoldChunk,
};

/// One member per signature.
union KernelFn {
    MatmulFn matmul;
    RoundActivationsFn roundActivations;
    DotPeakFn dotPeak;
    MapFn map;
    FromHalvesFn fromHalves;
    ToHalvesFn toHalves;
    RmsNormFn rmsNorm;
    GroupNormFn groupNorm;
    TransposeKeysFn transposeKeys;
    AttentionScoresFn attentionScores;
    BlockScoresFn blockScores;
    AbsorbPageFn absorbPage;
    Wkv5Fn wkv5;
    Wkv7Fn wkv7;
    GatedDeltaFn gatedDelta;
    MambaScanFn mambaScan;
    FoldChunkFn foldChunk;
};

struct KernelEntry {
    KernelOp op;
    base::Isa isa;
    KernelFn fn;
    // Of matmuls:
    quant::Quant weight{};
    ActivationForm activation{};
    uint32_t minOutputs = 1;  ///< fewest rows of w it takes
};

struct KernelList {
    const KernelEntry* entries;
    size_t count;
};

}  // namespace ingle::kernels
