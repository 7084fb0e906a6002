#include "engine/kernels/ref/gated_delta.h"

#include "engine/kernels/ref/chunks.h"

namespace ingle::kernels {

void gatedDeltaRef(const GatedDeltaRows& rows, const ChunkHead& head, const ChunkScratch&, size_t keyDim,
                   size_t valueDim) noexcept {
    const auto [keys, begin, end] = rows.chunk;
    float shares[kChunkRows];
    for (uint32_t t = begin; t < end; ++t) {
        const size_t row = t - begin;
        const float* k = keys[t];
        const float* q = rows.q + row * rows.keyStride;
        const float* v = rows.v + row * rows.valueStride;
        float* y = rows.y + row * rows.valueStride;
        float* change = head.changes + t * head.changeStride;
        const float left = sharesLeft(head.decays, t, shares);
        for (size_t j = 0; j < valueDim; ++j) change[j] = y[j] = 0;
        for (size_t i = 0; i < keyDim; ++i) {
            const float* kept = head.matrix + i * valueDim;
            for (size_t j = 0; j < valueDim; ++j) {
                change[j] += k[i] * kept[j];
                y[j] += q[i] * kept[j];
            }
        }
        for (size_t j = 0; j < valueDim; ++j) {
            change[j] = v[j] - left * change[j];
            y[j] *= left;
        }
        for (uint32_t s = 0; s < t; ++s) {
            const float found = shares[s] * dotRef(keys[s], k, keyDim);
            const float given = shares[s] * dotRef(keys[s], q, keyDim);
            const float* earlier = head.changes + s * head.changeStride;
            for (size_t j = 0; j < valueDim; ++j) {
                change[j] -= found * earlier[j];
                y[j] += given * earlier[j];
            }
        }
        const float own = dotRef(k, q, keyDim);
        const float rate = rows.rates[row * rows.rateStride];
        for (size_t j = 0; j < valueDim; ++j) {
            change[j] *= rate;
            y[j] += own * change[j];
        }
    }
}

}  // namespace ingle::kernels
