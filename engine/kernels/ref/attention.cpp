#include "engine/kernels/ref/attention.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ingle::kernels {

void attendBlockRef(const float* q, const float* keys, const float* values, size_t count, size_t headDim,
                    float scale, OnlineSoftmax& softmax, float* acc) {
    std::array<float, 64> scores;
    float max = softmax.max;
    for (size_t j = 0; j < count; ++j) {
        float dot = 0;
        for (size_t i = 0; i < headDim; ++i) dot += q[i] * keys[j * headDim + i];
        scores[j] = dot * scale;
        max = std::max(max, scores[j]);
    }
    const float shrink = std::exp(softmax.max - max);
    softmax.max = max;
    softmax.sum *= shrink;
    for (size_t i = 0; i < headDim; ++i) acc[i] *= shrink;
    for (size_t j = 0; j < count; ++j) {
        const float weight = std::exp(scores[j] - max);
        softmax.sum += weight;
        for (size_t i = 0; i < headDim; ++i) acc[i] += weight * values[j * headDim + i];
    }
}

}  // namespace ingle::kernels
