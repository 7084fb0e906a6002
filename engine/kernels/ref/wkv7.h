/// The RWKV-7 recurrence of one head, and the bonus that is added to it.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {

/// One token: S_ji = w_j S_ji - (sum_m kk_m S_mi) kk_j a_j + k_j v_i, then y_i = sum_j r_j S_ji.
/// S: [n, n], row = key index j, column = value index i (as in RWKV-5; the paper's matrix is the transpose);
/// removed: [n], scratch; y: [n]. Source: Peng et al., "RWKV-7 Goose with Expressive Dynamic State Evolution"
/// (2025), eq. 16-17.
void wkv7Ref(const Wkv7Token& token, float* state, float* removed, float* y, size_t n) noexcept;

/// y = (sum_i r_i k_i u_i) v; all [n]. Source: the same, eq. 20.
void wkvBonusRef(const float* r, const float* k, const float* v, const float* u, float* y, size_t n);

}  // namespace ingle::kernels
