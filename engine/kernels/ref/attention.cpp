#include "engine/kernels/ref/attention.h"

#include <algorithm>
#include <cmath>

namespace ingle::kernels {

void transposeKeysRef(const float* rows, size_t headDim, float* keys) noexcept {
    for (size_t d = 0; d < headDim; ++d) {
        for (size_t j = 0; j < kAttentionKeys; ++j) keys[d * kAttentionKeys + j] = rows[j * headDim + d];
    }
}

void attentionScoresRef(const float* q, const float* keys, size_t headDim, float scale,
                        float* scores) noexcept {
    std::fill_n(scores, kAttentionKeys, 0.0F);
    for (size_t d = 0; d < headDim; ++d) {
        for (size_t j = 0; j < kAttentionKeys; ++j) scores[j] += q[d] * keys[d * kAttentionKeys + j];
    }
    for (size_t j = 0; j < kAttentionKeys; ++j) scores[j] *= scale;
}

void absorbPageRef(const float* scores, const float* values, uint32_t count, size_t headDim,
                   OnlineSoftmax& softmax, float* acc) noexcept {
    const float max = std::max(softmax.max, *std::max_element(scores, scores + count));
    const float shrink = std::exp(softmax.max - max);
    softmax.max = max;
    softmax.sum *= shrink;
    for (size_t d = 0; d < headDim; ++d) acc[d] *= shrink;
    for (uint32_t j = 0; j < count; ++j) {
        const float weight = std::exp(scores[j] - max);
        softmax.sum += weight;
        for (size_t d = 0; d < headDim; ++d) acc[d] += weight * values[j * headDim + d];
    }
}

void mergeSoftmaxRef(const OnlineSoftmax& later, const float* laterAcc, size_t headDim,
                     OnlineSoftmax& softmax, float* acc) noexcept {
    const float max = std::max(softmax.max, later.max);
    const float shrink = std::exp(softmax.max - max);
    const float laterShrink = std::exp(later.max - max);
    softmax.max = max;
    softmax.sum = softmax.sum * shrink + later.sum * laterShrink;
    for (size_t d = 0; d < headDim; ++d) acc[d] = acc[d] * shrink + laterAcc[d] * laterShrink;
}

}  // namespace ingle::kernels
