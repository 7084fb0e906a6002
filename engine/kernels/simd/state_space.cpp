// Recurrences with a decay per head, in chunks; see engine/kernels/ref/chunks.h, gated_delta.h and
// mamba_scan.h.
#include "engine/kernels/simd/columns.h"

namespace ingle::kernels::INGLE_ISA::state_space {
namespace {

static_assert(kVectors * kLanes <= kColumnsAside);

/// Rows of kVectors vectors of columns that fit the registers.
constexpr uint32_t kAtOnce = kLanes == 16 ? 4 : 2;

/// shares[s] = D(t,s) and, returned, D(t,c).
inline float sharesLeft(const float* decays, size_t t, float* shares) {
    float left = 1;
    for (size_t s = t + 1; s-- > 0;) {
        shares[s] = left;
        left *= decays[s];
    }
    return left;
}

/// sum_i key_i x_i for each x.
template <uint32_t N>
inline void dots(const float* key, const float* const (&x)[N], size_t n, float (&sums)[N]) {
    auto partial = Columns<N>::zeros();
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const Floats k = load(key + i);
        for (uint32_t r = 0; r < N; ++r) partial.at[r] = fma(k, load(x[r] + i), partial.at[r]);
    }
    if (i < n) {
        const auto rest = static_cast<uint32_t>(n - i);
        const Floats k = loadPart(key + i, rest);
        for (uint32_t r = 0; r < N; ++r) partial.at[r] = fma(k, loadPart(x[r] + i, rest), partial.at[r]);
    }
    for (uint32_t r = 0; r < N; ++r) sums[r] = sumOfLanes(partial.at[r]);
}

/// Rows of the chunk lie apart: they come from memory while S is read.
inline void prefetchRows(const ChunkRows& rows, const ChunkHead& head, size_t keyDim, size_t valueDim) {
    constexpr size_t kLineFloats = 64 / sizeof(float);
    for (uint32_t s = 0; s < rows.begin; ++s) {
        for (size_t i = 0; i < keyDim; i += kLineFloats)
            prefetch(reinterpret_cast<const std::byte*>(rows.keys[s] + i));
        for (size_t j = 0; j < valueDim; j += kLineFloats)
            prefetch(reinterpret_cast<const std::byte*>(head.changes + s * head.changeStride + j));
    }
}

/// Some columns of S, row by row.
struct Slice {
    const float* first;
    size_t stride;
    uint32_t count;  ///< in the last vector
};

/// out = sum_i x_i S_i for each x.
template <uint32_t R, uint32_t V>
inline void readColumns(const Slice& s, size_t keyDim, const float* const* x, float* const* out) {
    Columns<V> sums[R];
    for (Columns<V>& sum : sums) sum = Columns<V>::zeros();
    for (size_t i = 0; i < keyDim; ++i) {
        const auto row = Columns<V>::of(s.first + i * s.stride, s.count);
        for (uint32_t r = 0; r < R; ++r) {
            const Floats factor = broadcast(x[r][i]);
            for (uint32_t c = 0; c < V; ++c) sums[r].at[c] = fma(factor, row.at[c], sums[r].at[c]);
        }
    }
    for (uint32_t r = 0; r < R; ++r) sums[r].storeTo(out[r], s.count);
}

/// The same for any number of x.
template <uint32_t V>
void readAll(const Slice& s, size_t keyDim, const float* const* x, float* const* out, uint32_t n) {
    uint32_t i = 0;
    for (; i + kAtOnce <= n; i += kAtOnce) readColumns<kAtOnce, V>(s, keyDim, x + i, out + i);
    for (; i + 2 <= n; i += 2) readColumns<2, V>(s, keyDim, x + i, out + i);
    if (i < n) readColumns<1, V>(s, keyDim, x + i, out + i);
}

/// Columns [first, …) of S; for several rows they are put together, since parts of long rows share few
/// lines of the nearest cache.
template <uint32_t V>
inline Slice slice(const ChunkHead& head, size_t first, uint32_t count, bool isAside, float* columns,
                   size_t keyDim, size_t valueDim) {
    if (!isAside || V * kLanes >= valueDim) return {head.matrix + first, valueDim, count};
    for (size_t i = 0; i < keyDim; ++i)
        Columns<V>::of(head.matrix + i * valueDim + first, count).storeTo(columns + i * V * kLanes, count);
    return {columns, V * kLanes, count};
}

void gatedDelta(const GatedDeltaRows& rows, const ChunkHead& head, const ChunkScratch& scratch, size_t keyDim,
                size_t valueDim) noexcept {
    const float* const* keys = rows.chunk.keys;
    const uint32_t begin = rows.chunk.begin, end = rows.chunk.end;
    prefetchRows(rows.chunk, head, keyDim, valueDim);
    // What the keys find in S is put aside; what the queries find lies in y until the rows since are
    // added.
    forColumns(valueDim, [&]<uint32_t V>(size_t first, uint32_t count) {
        const Slice s = slice<V>(head, first, count, end > begin + 1, scratch.columns, keyDim, valueDim);
        const float* x[2 * kChunkRows];
        float* out[2 * kChunkRows];
        for (uint32_t t = begin; t < end; ++t) {
            const size_t row = t - begin;
            x[2 * row] = keys[t];
            out[2 * row] = scratch.found + row * valueDim + first;
            x[2 * row + 1] = rows.q + row * rows.keyStride;
            out[2 * row + 1] = rows.y + row * rows.valueStride + first;
        }
        readAll<V>(s, keyDim, x, out, 2 * (end - begin));
    });
    float shares[kChunkRows], takes[kChunkRows], gives[kChunkRows];
    for (uint32_t t = begin; t < end; ++t) {
        const size_t row = t - begin;
        const float* const x[] = {keys[t], rows.q + row * rows.keyStride};
        const float left = sharesLeft(head.decays, t, shares);
        for (uint32_t s = 0; s <= t; ++s) {
            float sums[2];
            dots(keys[s], x, keyDim, sums);
            takes[s] = -shares[s] * sums[0];
            gives[s] = shares[s] * sums[1];
        }
        const float* v = rows.v + row * rows.valueStride;
        float* y = rows.y + row * rows.valueStride;
        const Floats rate = broadcast(rows.rates[row * rows.rateStride]);
        forColumns(valueDim, [&]<uint32_t V>(size_t first, uint32_t count) {
            auto change = Columns<V>::of(v + first, count);
            auto sum = Columns<V>::of(y + first, count);
            const auto ofState = Columns<V>::of(scratch.found + row * valueDim + first, count);
            for (uint32_t c = 0; c < V; ++c) {
                change.at[c] = fma(broadcast(-left), ofState.at[c], change.at[c]);
                sum.at[c] = multiply(broadcast(left), sum.at[c]);
            }
            for (uint32_t s = 0; s < t; ++s) {
                const auto earlier = Columns<V>::of(head.changes + s * head.changeStride + first, count);
                for (uint32_t c = 0; c < V; ++c) {
                    change.at[c] = fma(broadcast(takes[s]), earlier.at[c], change.at[c]);
                    sum.at[c] = fma(broadcast(gives[s]), earlier.at[c], sum.at[c]);
                }
            }
            for (uint32_t c = 0; c < V; ++c) {
                change.at[c] = multiply(rate, change.at[c]);
                sum.at[c] = fma(broadcast(gives[t]), change.at[c], sum.at[c]);
            }
            change.storeTo(head.changes + t * head.changeStride + first, count);
            sum.storeTo(y + first, count);
        });
    }
}

void mambaScan(const MambaRows& rows, const ChunkHead& head, const ChunkScratch& scratch, size_t stateSize,
               size_t headSize) noexcept {
    const float* const* keys = rows.chunk.keys;
    const uint32_t begin = rows.chunk.begin, end = rows.chunk.end;
    prefetchRows(rows.chunk, head, stateSize, headSize);
    forColumns(headSize, [&]<uint32_t V>(size_t first, uint32_t count) {
        const Slice s = slice<V>(head, first, count, end > begin + 2, scratch.columns, stateSize, headSize);
        const float* x[kChunkRows];
        float* out[kChunkRows];
        for (uint32_t row = 0; row < end - begin; ++row) {
            x[row] = rows.c + row * rows.keyStride;
            out[row] = rows.y + row * rows.valueStride + first;
        }
        readAll<V>(s, stateSize, x, out, end - begin);
    });
    float shares[kChunkRows], gives[kChunkRows];
    for (uint32_t t = begin; t < end; ++t) {
        const size_t row = t - begin;
        const float* const c[] = {rows.c + row * rows.keyStride};
        const float left = sharesLeft(head.decays, t, shares);
        for (uint32_t s = 0; s <= t; ++s) {
            float sums[1];
            dots(keys[s], c, stateSize, sums);
            gives[s] = shares[s] * sums[0];
        }
        const float* x = rows.x + row * rows.valueStride;
        float* y = rows.y + row * rows.valueStride;
        const Floats step = broadcast(rows.steps[row]);
        forColumns(headSize, [&]<uint32_t V>(size_t first, uint32_t count) {
            const auto value = Columns<V>::of(x + first, count);
            auto sum = Columns<V>::of(y + first, count);
            Columns<V> added;
            for (uint32_t i = 0; i < V; ++i) {
                added.at[i] = multiply(step, value.at[i]);
                sum.at[i] = multiply(broadcast(left), sum.at[i]);
            }
            added.storeTo(head.changes + t * head.changeStride + first, count);
            for (uint32_t s = 0; s <= t; ++s) {
                const auto earlier = Columns<V>::of(head.changes + s * head.changeStride + first, count);
                for (uint32_t i = 0; i < V; ++i)
                    sum.at[i] = fma(broadcast(gives[s]), earlier.at[i], sum.at[i]);
            }
            for (uint32_t i = 0; i < V; ++i) sum.at[i] = fma(broadcast(rows.skip), value.at[i], sum.at[i]);
            sum.storeTo(y + first, count);
        });
    }
}

/// Rows [i, i + R) of S at the chunk's end. changes: [kChunkRows], V vectors each, what is left of them.
template <uint32_t R, uint32_t V>
inline void foldRows(const float* const* keys, size_t i, float left, const float* changes, float* state,
                     size_t stride, uint32_t count) {
    Columns<V> rows[R];
    for (uint32_t r = 0; r < R; ++r) {
        rows[r] = Columns<V>::of(state + r * stride, count);
        for (Floats& value : rows[r].at) value = multiply(broadcast(left), value);
    }
    for (size_t s = 0; s < kChunkRows; ++s) {
        const float* key = keys[s] + i;
        Floats k[R];
        for (uint32_t r = 0; r < R; ++r) k[r] = broadcast(key[r]);
        for (uint32_t c = 0; c < V; ++c) {
            const Floats change = load(changes + (s * V + c) * kLanes);
            for (uint32_t r = 0; r < R; ++r) rows[r].at[c] = fma(k[r], change, rows[r].at[c]);
        }
    }
    for (uint32_t r = 0; r < R; ++r) rows[r].storeTo(state + r * stride, count);
}

void foldChunk(const float* const* keys, const ChunkHead& head, const ChunkScratch& scratch, size_t keyDim,
               size_t valueDim) noexcept {
    float shares[kChunkRows];
    const float left = sharesLeft(head.decays, kChunkRows - 1, shares);
    forColumns(valueDim, [&]<uint32_t V>(size_t first, uint32_t count) {
        for (size_t s = 0; s < kChunkRows; ++s) {
            auto change = Columns<V>::of(head.changes + s * head.changeStride + first, count);
            for (Floats& value : change.at) value = multiply(broadcast(shares[s]), value);
            change.storeTo(scratch.columns + s * V * kLanes, kLanes);
        }
        float* state = head.matrix + first;
        size_t i = 0;
        for (; i + kAtOnce <= keyDim; i += kAtOnce)
            foldRows<kAtOnce, V>(keys, i, left, scratch.columns, state + i * valueDim, valueDim, count);
        for (; i < keyDim; ++i)
            foldRows<1, V>(keys, i, left, scratch.columns, state + i * valueDim, valueDim, count);
    });
}

constexpr KernelEntry kEntries[] = {
    {.op = KernelOp::GatedDelta, .isa = kIsa, .fn = {.gatedDelta = gatedDelta}},
    {.op = KernelOp::MambaScan, .isa = kIsa, .fn = {.mambaScan = mambaScan}},
    {.op = KernelOp::FoldChunk, .isa = kIsa, .fn = {.foldChunk = foldChunk}},
};

}  // namespace

extern const KernelList list = {kEntries, 3};

}  // namespace ingle::kernels::INGLE_ISA::state_space
