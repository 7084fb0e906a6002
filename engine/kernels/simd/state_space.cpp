// Recurrences with a decay per head; see engine/kernels/ref/gated_delta.h and mamba_scan.h.
#include "engine/kernels/simd/columns.h"

namespace ingle::kernels {
namespace {

void gatedDelta(const GatedDeltaToken& token, float* state, float*, float* y, size_t keyDim,
                size_t valueDim) noexcept {
    const Floats decay = broadcast(token.decay);
    forColumns(valueDim, [&]<uint32_t V>(size_t first, uint32_t count) {
        auto found = Columns<V>::zeros();
        for (size_t i = 0; i < keyDim; ++i) {
            const auto row = Columns<V>::of(state + i * valueDim + first, count);
            for (uint32_t c = 0; c < V; ++c) found.at[c] = fma(broadcast(token.k[i]), row.at[c], found.at[c]);
        }
        auto change = Columns<V>::of(token.v + first, count);
        for (uint32_t c = 0; c < V; ++c)
            change.at[c] = multiply(broadcast(token.rate), fma(negate(decay), found.at[c], change.at[c]));
        auto sum = Columns<V>::zeros();
        for (size_t i = 0; i < keyDim; ++i) {
            auto row = Columns<V>::of(state + i * valueDim + first, count);
            for (uint32_t c = 0; c < V; ++c) {
                row.at[c] = fma(broadcast(token.k[i]), change.at[c], multiply(decay, row.at[c]));
                sum.at[c] = fma(broadcast(token.q[i]), row.at[c], sum.at[c]);
            }
            row.storeTo(state + i * valueDim + first, count);
        }
        sum.storeTo(y + first, count);
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
