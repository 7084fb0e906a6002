#include "engine/kernels/ref/mamba_scan.h"

#include <cmath>

#include "engine/kernels/ref/elementwise.h"

namespace ingle::kernels {

void mambaScanRef(const MambaToken& token, float* state, float* y, size_t stateSize,
                  size_t headSize) noexcept {
    const auto [x, B, C, decay, step, skip] = token;
    for (size_t p = 0; p < headSize; ++p) y[p] = 0;
    for (size_t n = 0; n < stateSize; ++n) {
        float* row = state + n * headSize;
        const float added = step * B[n];
        for (size_t p = 0; p < headSize; ++p) {
            row[p] = decay * row[p] + added * x[p];
            y[p] += C[n] * row[p];
        }
    }
    for (size_t p = 0; p < headSize; ++p) y[p] += skip * x[p];
}

DiscreteStep discretise(float raw, float bias, float rate) {
    const float step = softplusRef(raw + bias);
    return {step, std::exp(step * rate)};
}

}  // namespace ingle::kernels
