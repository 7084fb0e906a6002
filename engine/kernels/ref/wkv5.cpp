#include "engine/kernels/ref/wkv5.h"

namespace ingle::kernels {

void wkv5Ref(const float* r, const float* k, const float* v, const float* w, const float* u, size_t stride,
             float* state, float* y, size_t n) {
    for (size_t j = 0; j < n; ++j) y[j] = 0;
    for (size_t i = 0; i < n; ++i) {
        float* row = state + i * n;
        for (size_t j = 0; j < n; ++j) {
            const float kv = k[i] * v[j];
            y[j] += r[i] * (u[i * stride] * kv + row[j]);
            row[j] = kv + w[i * stride] * row[j];
        }
    }
}

}  // namespace ingle::kernels
