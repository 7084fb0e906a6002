#include "engine/kernels/ref/elementwise.h"

#include <cmath>

namespace ingle::kernels {

void addRef(const float* a, const float* b, float* y, size_t n) {
    for (size_t i = 0; i < n; ++i) y[i] = a[i] + b[i];
}

void multiplyRef(const float* a, const float* b, float* y, size_t n) {
    for (size_t i = 0; i < n; ++i) y[i] = a[i] * b[i];
}

void lerpRef(const float* x, const float* p, const float* m, float* y, size_t numRows, size_t dim) {
    for (size_t row = 0; row < numRows; ++row, x += dim, p += dim, y += dim) {
        for (size_t i = 0; i < dim; ++i) y[i] = x[i] * m[i] + p[i] * (1.0f - m[i]);
    }
}

float siluRef(float x) {
    return x / (1.0f + std::exp(-x));
}

float sigmoidRef(float x) {
    return 1.0f / (1.0f + std::exp(-x));
}

float squaredReluRef(float x) {
    const float positive = x > 0 ? x : 0;
    return positive * positive;
}

}  // namespace ingle::kernels
