/// Attention over a page of keys, with the softmax kept up to date as pages arrive.
/// Source: Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018), algorithm 3.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {

/// keys[d][j] = rows[j][d]; rows: [64, headDim], keys: [headDim, 64].
void transposeKeysRef(const float* rows, size_t headDim, float* keys) noexcept;

/// scores[i][j] = scale * sum over d of q[i][d] * keys[d][j] for all 64 j, wanted or not. q: [numQueries,
/// headDim], keys: [headDim, 64] floats, or halves, scores: [numQueries, 64].
void attentionScoresRef(const float* q, uint32_t numQueries, const std::byte* keys, size_t headDim,
                        float scale, float* scores, const ReadNext& next) noexcept;
void attentionScoresOfHalvesRef(const float* q, uint32_t numQueries, const std::byte* keys, size_t headDim,
                                float scale, float* scores, const ReadNext& next) noexcept;

/// The same of keys in blocks, [headDim / 32] of TurnedBlock, with queries rounded to 8 bits, [numQueries,
/// headDim / 32]: for each block in order score = fma(keyScale * queryScale, float(dot), score) with the
/// exact integer dot, and at last times `scale`: all instruction sets give the same bits.
void attentionScoresOfBlocksRef(const ActivationBlock* q, uint32_t numQueries, const std::byte* keys,
                                size_t headDim, float scale, float* scores, const ReadNext& next) noexcept;

/// Each query takes in the first values.count scores and the values, floats, halves or rows of Q8_0. scores:
/// [numQueries, 64], softmax: [numQueries], acc: [numQueries, headDim].
void absorbPageRef(const float* scores, uint32_t numQueries, const PageValues& values, size_t headDim,
                   OnlineSoftmax* softmax, float* acc, const ReadNext& next) noexcept;
void absorbPageOfHalvesRef(const float* scores, uint32_t numQueries, const PageValues& values, size_t headDim,
                           OnlineSoftmax* softmax, float* acc, const ReadNext& next) noexcept;
void absorbPageOfBlocksRef(const float* scores, uint32_t numQueries, const PageValues& values, size_t headDim,
                           OnlineSoftmax* softmax, float* acc, const ReadNext& next) noexcept;

/// Takes in what another softmax has gathered over later keys.
void mergeSoftmaxRef(const OnlineSoftmax& later, const float* laterAcc, size_t headDim,
                     OnlineSoftmax& softmax, float* acc) noexcept;

}  // namespace ingle::kernels
