#include "engine/kernels/ref/wkv7.h"

namespace ingle::kernels {

void wkv7Ref(const Wkv7Token& token, float* state, float* removed, float* y, size_t n) noexcept {
    const auto [r, w, k, v, kk, a] = token;
    for (size_t i = 0; i < n; ++i) removed[i] = y[i] = 0;
    for (size_t j = 0; j < n; ++j) {
        const float* row = state + j * n;
        for (size_t i = 0; i < n; ++i) removed[i] += kk[j] * row[i];
    }
    for (size_t j = 0; j < n; ++j) {
        float* row = state + j * n;
        const float rate = kk[j] * a[j];
        for (size_t i = 0; i < n; ++i) {
            row[i] = w[j] * row[i] - removed[i] * rate + k[j] * v[i];
            y[i] += r[j] * row[i];
        }
    }
}

void wkvBonusRef(const float* r, const float* k, const float* v, const float* u, float* y, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; ++i) sum += r[i] * k[i] * u[i];
    for (size_t i = 0; i < n; ++i) y[i] = sum * v[i];
}

}  // namespace ingle::kernels
