#include "engine/kernels/ref/gated_delta.h"

namespace ingle::kernels {

void gatedDeltaRef(const GatedDeltaToken& token, float* state, float* change, float* y, size_t keyDim,
                   size_t valueDim) noexcept {
    const auto [q, k, v, decay, rate] = token;
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

}  // namespace ingle::kernels
