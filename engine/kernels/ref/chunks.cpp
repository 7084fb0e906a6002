#include "engine/kernels/ref/chunks.h"

namespace ingle::kernels {

float sharesLeft(const float* decays, size_t t, float* shares) noexcept {
    float left = 1;
    for (size_t s = t + 1; s-- > 0;) {
        shares[s] = left;
        left *= decays[s];
    }
    return left;
}

float dotRef(const float* a, const float* b, size_t n) noexcept {
    float sum = 0;
    for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

void foldChunkRef(const float* const* keys, const ChunkHead& head, const ChunkScratch&, size_t keyDim,
                  size_t valueDim) noexcept {
    float shares[kChunkRows];
    const float left = sharesLeft(head.decays, kChunkRows - 1, shares);
    for (size_t i = 0; i < keyDim; ++i) {
        float* row = head.matrix + i * valueDim;
        for (size_t j = 0; j < valueDim; ++j) row[j] *= left;
        for (size_t s = 0; s < kChunkRows; ++s) {
            const float* change = head.changes + s * head.changeStride;
            for (size_t j = 0; j < valueDim; ++j) row[j] += keys[s][i] * (shares[s] * change[j]);
        }
    }
}

}  // namespace ingle::kernels
