#include "engine/kernels/ref/attention.h"

#include <algorithm>
#include <cmath>

#include "engine/quant/block.h"

namespace ingle::kernels {
namespace {

/// Numbers of a cache: number i from `at` on.
struct F32 {
    static float load(const std::byte* at, size_t i) { return reinterpret_cast<const float*>(at)[i]; }
};
struct F16 {
    static float load(const std::byte* at, size_t i) { return quant::halfAt(at + 2 * i); }
};
struct BlocksOfQ8 {
    static float load(const std::byte* at, size_t i) {
        const std::byte* block = at + i / kActivationBlock * TurnedBlock::kRowBytes;
        const std::byte* number = block + TurnedBlock::kScaleBytes + i % kActivationBlock;
        return quant::halfAt(block) * static_cast<float>(quant::signedByteAt(number));
    }
};

template <typename Element>
void scores(const float* q, uint32_t numQueries, const std::byte* keys, size_t headDim, float scale,
            float* out) {
    std::fill_n(out, numQueries * kAttentionKeys, 0.0F);
    for (uint32_t i = 0; i < numQueries; ++i, q += headDim, out += kAttentionKeys) {
        for (size_t d = 0; d < headDim; ++d) {
            for (size_t j = 0; j < kAttentionKeys; ++j)
                out[j] += q[d] * Element::load(keys, d * kAttentionKeys + j);
        }
        for (size_t j = 0; j < kAttentionKeys; ++j) out[j] *= scale;
    }
}

template <typename Element>
void absorb(const float* pageScores, uint32_t numQueries, const PageValues& values, size_t headDim,
            OnlineSoftmax* softmax, float* acc) {
    for (uint32_t i = 0; i < numQueries; ++i, pageScores += kAttentionKeys, ++softmax, acc += headDim) {
        const float max = std::max(softmax->max, *std::max_element(pageScores, pageScores + values.count));
        const float shrink = std::exp(softmax->max - max);
        softmax->max = max;
        softmax->sum *= shrink;
        for (size_t d = 0; d < headDim; ++d) acc[d] *= shrink;
        for (uint32_t j = 0; j < values.count; ++j) {
            const float weight = std::exp(pageScores[j] - max);
            softmax->sum += weight;
            for (size_t d = 0; d < headDim; ++d)
                acc[d] += weight * Element::load(values.rows + j * values.rowBytes, d);
        }
    }
}

}  // namespace

void transposeKeysRef(const float* rows, size_t headDim, float* keys) noexcept {
    for (size_t d = 0; d < headDim; ++d) {
        for (size_t j = 0; j < kAttentionKeys; ++j) keys[d * kAttentionKeys + j] = rows[j * headDim + d];
    }
}

void attentionScoresRef(const float* q, uint32_t numQueries, const std::byte* keys, size_t headDim,
                        float scale, float* out, const ReadNext& /*next*/) noexcept {
    scores<F32>(q, numQueries, keys, headDim, scale, out);
}

void attentionScoresOfHalvesRef(const float* q, uint32_t numQueries, const std::byte* keys, size_t headDim,
                                float scale, float* out, const ReadNext& /*next*/) noexcept {
    scores<F16>(q, numQueries, keys, headDim, scale, out);
}

void attentionScoresOfBlocksRef(const ActivationBlock* q, uint32_t numQueries, const std::byte* keys,
                                size_t headDim, float scale, float* out, const ReadNext& /*next*/) noexcept {
    const size_t numBlocks = headDim / kActivationBlock;
    for (uint32_t i = 0; i < numQueries; ++i, q += numBlocks, out += kAttentionKeys) {
        for (size_t j = 0; j < kAttentionKeys; ++j) {
            float score = 0;
            for (size_t b = 0; b < numBlocks; ++b) {
                const std::byte* block = keys + b * TurnedBlock::kBytes;
                int32_t dot = 0;
                for (size_t d = 0; d < kActivationBlock; ++d) {
                    const size_t group =
                        TurnedBlock::kNumbersAt + d / TurnedBlock::kGroup * TurnedBlock::kGroupBytes;
                    dot += q[b].q[d] * quant::signedByteAt(block + group + j * TurnedBlock::kGroup +
                                                           d % TurnedBlock::kGroup);
                }
                const float keyScale = quant::halfAt(block + j * TurnedBlock::kScaleBytes);
                score = std::fma(keyScale * q[b].scale, static_cast<float>(dot), score);
            }
            out[j] = score * scale;
        }
    }
}

void absorbPageRef(const float* pageScores, uint32_t numQueries, const PageValues& values, size_t headDim,
                   OnlineSoftmax* softmax, float* acc, const ReadNext& /*next*/) noexcept {
    absorb<F32>(pageScores, numQueries, values, headDim, softmax, acc);
}

void absorbPageOfHalvesRef(const float* pageScores, uint32_t numQueries, const PageValues& values,
                           size_t headDim, OnlineSoftmax* softmax, float* acc,
                           const ReadNext& /*next*/) noexcept {
    absorb<F16>(pageScores, numQueries, values, headDim, softmax, acc);
}

void absorbPageOfBlocksRef(const float* pageScores, uint32_t numQueries, const PageValues& values,
                           size_t headDim, OnlineSoftmax* softmax, float* acc,
                           const ReadNext& /*next*/) noexcept {
    absorb<BlocksOfQ8>(pageScores, numQueries, values, headDim, softmax, acc);
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
