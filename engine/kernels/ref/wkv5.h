/// The recurrence of one head of RWKV-5 and RWKV-6.
#pragma once

#include <cstddef>

namespace ingle::kernels {

/// One token: y_j = sum_i r_i (u_i k_i v_j + S_ij), then S_ij = k_i v_j + w_i S_ij.
/// r, k, v, y: [n]; S: [n, n], row = key index i, column = value index j; w_i and u_i are w[i * wStride] and
/// u[i * uStride]: stride 1 for [n] (5.2 and 6), 0 for one number per head (5.1). Source: Peng et al., "Eagle
/// and Finch: RWKV with Matrix-Valued States" (2024), eq. 17-19.
void wkv5Ref(const float* r, const float* k, const float* v, const float* w, size_t wStride, const float* u,
             size_t uStride, float* state, float* y, size_t n) noexcept;

}  // namespace ingle::kernels
