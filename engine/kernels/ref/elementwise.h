/// Elementwise functions over n values; y may alias an input.
#pragma once

#include <cstddef>

namespace ingle::kernels {

void addRef(const float* a, const float* b, float* y, size_t n);
void multiplyRef(const float* a, const float* b, float* y, size_t n);
void scaleRef(const float* x, float factor, float* y, size_t n);
/// y = a + (b - a) * (m + d), m: [dim], all others: [numRows, dim]; m or d may be null (zero).
void lerpRef(const float* a, const float* b, const float* m, const float* d, float* y, size_t numRows,
             size_t dim);

/// x / (1 + e^-x). Source: Elfwing et al., "Sigmoid-Weighted Linear Units" (2017).
float siluRef(float x);
/// 1 / (1 + e^-x)
float sigmoidRef(float x);
/// max(x, 0)². Source: So et al., "Primer" (2021).
float squaredReluRef(float x);
float tanhRef(float x);
/// exp(-e^x), in (0, 1). Source: Peng et al., "Eagle and Finch" (2024), eq. 18.
float decayRef(float x);
/// exp(-e^-0.5 / (1 + e^-x)), in (0.545, 1). Source: Peng et al., "RWKV-7 Goose" (2025), eq. 12.
float boundedDecayRef(float x);

}  // namespace ingle::kernels
