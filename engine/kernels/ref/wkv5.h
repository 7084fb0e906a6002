/// The RWKV-5 recurrence of one head.
#pragma once

#include <cstddef>

namespace ingle::kernels {

/// One token: y_j = sum_i r_i (u_i k_i v_j + S_ij), then S_ij = k_i v_j + w_i S_ij.
/// r, k, v, y: [n]; S: [n, n], row = key index i, column = value index j; w_i and u_i are w[i * stride] and
/// u[i * stride]: stride 1 for [n] (5.2), 0 for one number per head (5.1). Source: Peng et al., "Eagle and
/// Finch: RWKV with Matrix-Valued States" (2024), eq. 17-19.
void wkv5Ref(const float* r, const float* k, const float* v, const float* w, const float* u, size_t stride,
             float* state, float* y, size_t n);

}  // namespace ingle::kernels
