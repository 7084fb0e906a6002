/// The gated delta rule of one head.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {

/// For each token in turn: S_ij = decay S_ij, then d_j = rate (v_j - sum_i k_i S_ij), S_ij = S_ij + k_i d_j,
/// and y_j = sum_i q_i S_ij. S: [keyDim, valueDim], row = key index i, column = value index j (the paper's
/// matrix is the transpose). The order of additions does not depend on how many tokens there are. Source:
/// Yang et al., "Gated Delta Networks" (2024), eq. 10.
void gatedDeltaRef(const GatedDeltaRows& rows, float* state, float* aside, size_t keyDim,
                   size_t valueDim) noexcept;

}  // namespace ingle::kernels
