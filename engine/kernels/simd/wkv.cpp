// The recurrences of RWKV-5, 6 and 7; see engine/kernels/ref/wkv5.h and wkv7.h.
#include "engine/kernels/simd/columns.h"

namespace ingle::kernels::INGLE_ISA::wkv {
namespace {

void wkv5(const float* r, const float* k, const float* v, const float* w, size_t wStride, const float* u,
          size_t uStride, float* state, float* y, size_t n) noexcept {
    forColumns(n, [&]<uint32_t V>(size_t first, uint32_t count) {
        const auto value = Columns<V>::of(v + first, count);
        auto sum = Columns<V>::zeros();
        for (size_t i = 0; i < n; ++i) {
            float* row = state + i * n + first;
            auto old = Columns<V>::of(row, count);
            for (uint32_t c = 0; c < V; ++c) {
                const Floats kv = multiply(broadcast(k[i]), value.at[c]);
                sum.at[c] = fma(broadcast(r[i]), fma(broadcast(u[i * uStride]), kv, old.at[c]), sum.at[c]);
                old.at[c] = fma(broadcast(w[i * wStride]), old.at[c], kv);
            }
            old.storeTo(row, count);
        }
        sum.storeTo(y + first, count);
    });
}

void wkv7(const Wkv7Token& token, float* state, float*, float* y, size_t n) noexcept {
    forColumns(n, [&]<uint32_t V>(size_t first, uint32_t count) {
        auto removed = Columns<V>::zeros();
        for (size_t j = 0; j < n; ++j) {
            const auto row = Columns<V>::of(state + j * n + first, count);
            for (uint32_t c = 0; c < V; ++c)
                removed.at[c] = fma(broadcast(token.kk[j]), row.at[c], removed.at[c]);
        }
        const auto value = Columns<V>::of(token.v + first, count);
        auto sum = Columns<V>::zeros();
        for (size_t j = 0; j < n; ++j) {
            auto row = Columns<V>::of(state + j * n + first, count);
            const Floats rate = broadcast(-(token.kk[j] * token.a[j]));
            for (uint32_t c = 0; c < V; ++c) {
                const Floats kept = fma(removed.at[c], rate, multiply(broadcast(token.w[j]), row.at[c]));
                row.at[c] = fma(broadcast(token.k[j]), value.at[c], kept);
                sum.at[c] = fma(broadcast(token.r[j]), row.at[c], sum.at[c]);
            }
            row.storeTo(state + j * n + first, count);
        }
        sum.storeTo(y + first, count);
    });
}

constexpr KernelEntry kEntries[] = {
    {.op = KernelOp::Wkv5, .isa = kIsa, .fn = {.wkv5 = wkv5}},
    {.op = KernelOp::Wkv7, .isa = kIsa, .fn = {.wkv7 = wkv7}},
};

}  // namespace

extern const KernelList list = {kEntries, 2};

}  // namespace ingle::kernels::INGLE_ISA::wkv
