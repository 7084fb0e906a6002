/// Attention of one query over a block of keys, with the softmax kept up to date as blocks arrive.
#pragma once

#include <cstddef>
#include <limits>

namespace ingle::kernels {

/// What is known after some blocks: acc = sum of exp(s_j - max) v_j, sum = sum of exp(s_j - max).
struct OnlineSoftmax {
    float max = -std::numeric_limits<float>::infinity();
    float sum = 0;
};

/// Takes in `count` ≤ 64 (a page) further keys: s_j = (q · k_j) * scale.
/// q, acc: [headDim]; keys, values: [count, headDim].
/// Source: Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018), algorithm 3.
void attendBlockRef(const float* q, const float* keys, const float* values, size_t count, size_t headDim,
                    float scale, OnlineSoftmax& softmax, float* acc);

}  // namespace ingle::kernels
