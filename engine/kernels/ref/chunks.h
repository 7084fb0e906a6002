/// Recurrences with a decay per head, in chunks of kChunkRows tokens: S_t = decay_t S_(t-1) + k_t ⊗ change_t.
/// A sequence keeps S as it was at the start c of the chunk of its last token, and keys, changes and decays
/// of the tokens since. Then, with D(t,s) what the tokens s + 1 … t leave, S_t = D(t,c) S_c + sum over s of
/// D(t,s) k_s ⊗ change_s. Each token's numbers are the same function of S_c and the chunk's rows, added in
/// the same order, however many tokens are fed at a time; and what follows a token of the chunk can be
/// forgotten. Source of the form: Dao & Gu, "Transformers are SSMs" (2024), 6; Yang, Wang et al.,
/// "Parallelizing Linear Transformers with the Delta Rule over Sequence Length" (2024), 3.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {

/// shares[s] = D(t,s) for the rows s <= t of a chunk, as a product of decays: nothing is divided, so that it
/// is as exact for decays near 0 as for those near 1. Returns D(t,c), what is left of the chunk's S.
float sharesLeft(const float* decays, size_t t, float* shares) noexcept;

/// S_c becomes S at the end of a chunk of kChunkRows rows. keys: [kChunkRows] rows of [keyDim].
void foldChunkRef(const float* const* keys, const ChunkHead& head, const ChunkScratch& scratch, size_t keyDim,
                  size_t valueDim) noexcept;

/// sum_i a_i b_i in order.
float dotRef(const float* a, const float* b, size_t n) noexcept;

}  // namespace ingle::kernels
