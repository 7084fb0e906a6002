// Recurrences with a decay per head; see engine/kernels/ref/gated_delta.h and mamba_scan.h.
#include "engine/kernels/simd/columns.h"

namespace ingle::kernels {
namespace {

static_assert(kVectors * kLanes <= kColumnsAside);

/// Whether another token follows, whose key looks for what is there while the state is changed.
enum class Following : uint8_t { None, Token };

/// S = decay S + k change, y = sum_i q_i S_i, and found = sum_i next_i S_i for the key that follows.
template <Following following, uint32_t V>
inline void absorb(float* state, size_t stride, uint32_t count, size_t keyDim, Floats decay, const float* k,
                   const Columns<V>& change, const float* q, float* y, const float* next, Columns<V>& found) {
    auto sum = Columns<V>::zeros();
    found = Columns<V>::zeros();
    for (size_t i = 0; i < keyDim; ++i) {
        auto row = Columns<V>::of(state + i * stride, count);
        for (uint32_t c = 0; c < V; ++c) {
            row.at[c] = fma(broadcast(k[i]), change.at[c], multiply(decay, row.at[c]));
            sum.at[c] = fma(broadcast(q[i]), row.at[c], sum.at[c]);
            if constexpr (following == Following::Token)
                found.at[c] = fma(broadcast(next[i]), row.at[c], found.at[c]);
        }
        row.storeTo(state + i * stride, count);
    }
    sum.storeTo(y, count);
}

/// Columns do not meet, so each few of them go through all rows by themselves.
void gatedDelta(const GatedDeltaRows& rows, float* state, float* aside, size_t keyDim,
                size_t valueDim) noexcept {
    forColumns(valueDim, [&]<uint32_t V>(size_t first, uint32_t count) {
        // Parts of long rows share few lines of the nearest cache: for several tokens they are put together.
        const bool isAside = rows.numRows > 1 && V * kLanes < valueDim;
        auto found = Columns<V>::zeros();
        for (size_t i = 0; i < keyDim; ++i) {
            const auto row = Columns<V>::of(state + i * valueDim + first, count);
            for (uint32_t c = 0; c < V; ++c) found.at[c] = fma(broadcast(rows.k[i]), row.at[c], found.at[c]);
            if (isAside) row.storeTo(aside + i * V * kLanes, count);
        }
        float* columns = isAside ? aside : state + first;
        const size_t stride = isAside ? V * kLanes : valueDim;
        for (size_t t = 0; t < rows.numRows; ++t) {
            const float* k = rows.k + t * rows.keyStride;
            const float* q = rows.q + t * rows.keyStride;
            float* y = rows.y + t * rows.valueStride + first;
            const Floats decay = broadcast(rows.decays[t]);
            const Floats rate = broadcast(rows.rates[t * rows.rateStride]);
            auto change = Columns<V>::of(rows.v + t * rows.valueStride + first, count);
            for (uint32_t c = 0; c < V; ++c)
                change.at[c] = multiply(rate, fma(negate(decay), found.at[c], change.at[c]));
            if (t + 1 < rows.numRows)
                absorb<Following::Token>(columns, stride, count, keyDim, decay, k, change, q, y,
                                         k + rows.keyStride, found);
            else
                absorb<Following::None>(columns, stride, count, keyDim, decay, k, change, q, y, k, found);
        }
        for (size_t i = 0; isAside && i < keyDim; ++i)
            Columns<V>::of(aside + i * stride, count).storeTo(state + i * valueDim + first, count);
    });
}

void mambaScan(const MambaToken& token, float* state, float* y, size_t stateSize, size_t headSize) noexcept {
    const Floats decay = broadcast(token.decay);
    forColumns(headSize, [&]<uint32_t V>(size_t first, uint32_t count) {
        const auto x = Columns<V>::of(token.x + first, count);
        auto sum = Columns<V>::zeros();
        for (size_t n = 0; n < stateSize; ++n) {
            auto row = Columns<V>::of(state + n * headSize + first, count);
            const Floats added = broadcast(token.step * token.B[n]);
            for (uint32_t c = 0; c < V; ++c) {
                row.at[c] = fma(added, x.at[c], multiply(decay, row.at[c]));
                sum.at[c] = fma(broadcast(token.C[n]), row.at[c], sum.at[c]);
            }
            row.storeTo(state + n * headSize + first, count);
        }
        for (uint32_t c = 0; c < V; ++c) sum.at[c] = fma(broadcast(token.skip), x.at[c], sum.at[c]);
        sum.storeTo(y + first, count);
    });
}

constexpr KernelEntry kEntries[] = {
    {.op = KernelOp::GatedDelta, .isa = kIsa, .fn = {.gatedDelta = gatedDelta}},
    {.op = KernelOp::MambaScan, .isa = kIsa, .fn = {.mambaScan = mambaScan}},
};

}  // namespace

extern const KernelList INGLE_KERNEL_LIST(state_space);
const KernelList INGLE_KERNEL_LIST(state_space) = {kEntries, 2};

}  // namespace ingle::kernels
