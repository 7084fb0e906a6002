/// Attention of one query over a page of keys, with the softmax kept up to date as pages arrive.
/// Source: Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018), algorithm 3.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {

/// keys[d][j] = rows[j][d]; rows: [64, headDim], keys: [headDim, 64].
void transposeKeysRef(const float* rows, size_t headDim, float* keys) noexcept;

/// scores[j] = scale * sum over d of q[d] * keys[d][j] for all 64 j, wanted or not.
void attentionScoresRef(const float* q, const float* keys, size_t headDim, float scale,
                        float* scores) noexcept;

/// Takes in the first `count` ≤ 64 scores and values. values: [count, headDim], acc: [headDim].
void absorbPageRef(const float* scores, const float* values, uint32_t count, size_t headDim,
                   OnlineSoftmax& softmax, float* acc) noexcept;

/// Takes in what another softmax has gathered over later keys.
void mergeSoftmaxRef(const OnlineSoftmax& later, const float* laterAcc, size_t headDim,
                     OnlineSoftmax& softmax, float* acc) noexcept;

}  // namespace ingle::kernels
