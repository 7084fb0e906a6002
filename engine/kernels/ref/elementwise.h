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

// siluRef(x) and so on, as listed there.
#define INGLE_ACTIVATION(number, Kind, function) float function##Ref(float x);
#include "engine/kernels/activation_kinds.inc"
#undef INGLE_ACTIVATION

}  // namespace ingle::kernels
