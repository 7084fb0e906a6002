#include "engine/kernels/ref/elementwise.h"

#include <algorithm>
#include <cmath>

namespace ingle::kernels {

void addRef(const float* a, const float* b, float* y, size_t n) {
    for (size_t i = 0; i < n; ++i) y[i] = a[i] + b[i];
}

void multiplyRef(const float* a, const float* b, float* y, size_t n) {
    for (size_t i = 0; i < n; ++i) y[i] = a[i] * b[i];
}

void scaleRef(const float* x, float factor, float* y, size_t n) {
    for (size_t i = 0; i < n; ++i) y[i] = x[i] * factor;
}

void lerpRef(const float* a, const float* b, const float* m, const float* d, float* y, size_t numRows,
             size_t dim) {
    for (size_t row = 0; row < numRows; ++row) {
        for (size_t i = 0; i < dim; ++i) {
            const size_t at = row * dim + i;
            const float share = (m ? m[i] : 0.0f) + (d ? d[at] : 0.0f);
            y[at] = a[at] + (b[at] - a[at]) * share;
        }
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

float tanhRef(float x) {
    return std::tanh(x);
}

float decayRef(float x) {
    return std::exp(-std::exp(x));
}

float boundedDecayRef(float x) {
    constexpr float kRootOfE = 1.6487212707f;
    return std::exp(-sigmoidRef(x) / kRootOfE);
}

float geluRef(float x) {
    constexpr float kRootOfTwoOverPi = 0.7978845608f;
    return 0.5f * x * (1.0f + std::tanh(kRootOfTwoOverPi * x * (1.0f + 0.044715f * x * x)));
}

float geluErfRef(float x) {
    constexpr float kRootOfHalf = 0.7071067812f;
    return 0.5f * x * std::erfc(-kRootOfHalf * x);
}

float geluQuickRef(float x) {
    return x * sigmoidRef(1.702f * x);
}

float reluRef(float x) {
    return x > 0 ? x : 0;
}

float softplusRef(float x) {
    return std::max(x, 0.0f) + std::log1p(std::exp(-std::abs(x)));
}

}  // namespace ingle::kernels
