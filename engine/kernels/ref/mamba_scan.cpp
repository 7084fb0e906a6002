#include "engine/kernels/ref/mamba_scan.h"

#include <cmath>

#include "engine/kernels/ref/chunks.h"
#include "engine/kernels/ref/elementwise.h"

namespace ingle::kernels {

void mambaScanRef(const MambaRows& rows, const ChunkHead& head, const ChunkScratch&, size_t stateSize,
                  size_t headSize) noexcept {
    const auto [keys, begin, end] = rows.chunk;
    float shares[kChunkRows];
    for (uint32_t t = begin; t < end; ++t) {
        const size_t row = t - begin;
        const float* c = rows.c + row * rows.keyStride;
        const float* x = rows.x + row * rows.valueStride;
        float* y = rows.y + row * rows.valueStride;
        float* change = head.changes + t * head.changeStride;
        const float left = sharesLeft(head.decays, t, shares);
        for (size_t p = 0; p < headSize; ++p) {
            change[p] = rows.steps[row] * x[p];
            y[p] = 0;
        }
        for (size_t n = 0; n < stateSize; ++n) {
            const float* kept = head.matrix + n * headSize;
            for (size_t p = 0; p < headSize; ++p) y[p] += c[n] * kept[p];
        }
        for (size_t p = 0; p < headSize; ++p) y[p] *= left;
        for (uint32_t s = 0; s <= t; ++s) {
            const float given = shares[s] * dotRef(keys[s], c, stateSize);
            const float* added = head.changes + s * head.changeStride;
            for (size_t p = 0; p < headSize; ++p) y[p] += given * added[p];
        }
        for (size_t p = 0; p < headSize; ++p) y[p] += rows.skip * x[p];
    }
}

DiscreteStep discretise(float raw, float bias, float rate) {
    const float step = softplusRef(raw + bias);
    return {step, std::exp(step * rate)};
}

}  // namespace ingle::kernels
