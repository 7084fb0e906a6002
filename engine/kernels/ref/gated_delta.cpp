#include "engine/kernels/ref/gated_delta.h"

namespace ingle::kernels {

void gatedDeltaRef(const GatedDeltaRows& rows, float* state, float* aside, size_t keyDim,
                   size_t valueDim) noexcept {
    float* change = aside;
    for (size_t t = 0; t < rows.numRows; ++t) {
        const float* q = rows.q + t * rows.keyStride;
        const float* k = rows.k + t * rows.keyStride;
        const float* v = rows.v + t * rows.valueStride;
        float* y = rows.y + t * rows.valueStride;
        const float decay = rows.decays[t];
        const float rate = rows.rates[t * rows.rateStride];
        for (size_t j = 0; j < valueDim; ++j) change[j] = y[j] = 0;
        for (size_t i = 0; i < keyDim; ++i) {
            const float* row = state + i * valueDim;
            for (size_t j = 0; j < valueDim; ++j) change[j] += k[i] * row[j];
        }
        // All of S has decayed alike, and so has what the key finds there.
        for (size_t j = 0; j < valueDim; ++j) change[j] = rate * (v[j] - decay * change[j]);
        for (size_t i = 0; i < keyDim; ++i) {
            float* row = state + i * valueDim;
            for (size_t j = 0; j < valueDim; ++j) {
                row[j] = decay * row[j] + k[i] * change[j];
                y[j] += q[i] * row[j];
            }
        }
    }
}

}  // namespace ingle::kernels
