#include "engine/kernels/ref/wkv5.h"

namespace ingle::kernels {

void wkv5Ref(const float* r, const float* k, const float* v, const float* w, size_t wStride, const float* u,
             size_t uStride, float* state, float* y, size_t n) noexcept {
    for (size_t j = 0; j < n; ++j) y[j] = 0;
    for (size_t i = 0; i < n; ++i) {
        float* row = state + i * n;
        for (size_t j = 0; j < n; ++j) {
            const float kv = k[i] * v[j];
            y[j] += r[i] * (u[i * uStride] * kv + row[j]);
            row[j] = kv + w[i * wStride] * row[j];
        }
    }
}

}  // namespace ingle::kernels
