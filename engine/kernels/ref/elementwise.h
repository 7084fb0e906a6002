/// Elementwise functions over n values; y may alias an input.
#pragma once

#include <cstddef>

namespace ingle::kernels {

void addRef(const float* a, const float* b, float* y, size_t n);
void multiplyRef(const float* a, const float* b, float* y, size_t n);
/// y = x * m + p * (1 - m), m: [dim], x, p, y: [numRows, dim].
void lerpRef(const float* x, const float* p, const float* m, float* y, size_t numRows, size_t dim);

/// x / (1 + e^-x). Source: Elfwing et al., "Sigmoid-Weighted Linear Units" (2017).
float siluRef(float x);
/// 1 / (1 + e^-x)
float sigmoidRef(float x);
/// max(x, 0)². Source: So et al., "Primer" (2021).
float squaredReluRef(float x);

}  // namespace ingle::kernels
