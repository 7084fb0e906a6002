/// The gated delta rule of one head.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {

/// For each token t: d_t = rate (v - decay S^T k) and y = S^T q, where S has taken in k ⊗ d_t already. In
/// chunks, see chunks.h: d_t = rate_t (v_t - D(t,c) S_c^T k_t - sum over s < t of D(t,s) (k_s · k_t) d_s) and
/// y_t = D(t,c) S_c^T q_t + sum over s <= t of D(t,s) (k_s · q_t) d_s. Sources: Yang et al., "Gated Delta
/// Networks" (2024), eq. 10 (the paper's matrix is the transpose); chunks as in their 3.3.
void gatedDeltaRef(const GatedDeltaRows& rows, const ChunkHead& head, const ChunkScratch& scratch,
                   size_t keyDim, size_t valueDim) noexcept;

}  // namespace ingle::kernels
