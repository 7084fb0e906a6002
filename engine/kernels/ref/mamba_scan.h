/// The recurrence of one head of Mamba-2, and the step size that it shares with others.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {

/// For each token t: S_np = decay S_np + step B_n x_p, then y_p = sum_n C_n S_np + skip x_p. S: [stateSize,
/// headSize]. In chunks, see chunks.h: y_t = D(t,c) S_c^T C_t + sum over s <= t of D(t,s) (B_s · C_t) step_s
/// x_s + skip x_t. Source: Dao & Gu, "Transformers are SSMs" (2024), eq. 16 with A one number, and 6;
/// discretised as in Gu & Dao, "Mamba" (2023), 3.6.
void mambaScanRef(const MambaRows& rows, const ChunkHead& head, const ChunkScratch& scratch, size_t stateSize,
                  size_t headSize) noexcept;

/// How far a token moves a state on, and what that leaves of it.
struct DiscreteStep {
    float step;   ///< ln(1 + e^(raw + bias))
    float decay;  ///< exp(step * rate)
};
/// `rate`: the logarithm of what is left after a step of one, negative. Source: Gu & Dao, the same.
DiscreteStep discretise(float raw, float bias, float rate);

}  // namespace ingle::kernels
