#include "engine/kernels/ref/channel_scan.h"

#include <algorithm>
#include <cmath>

#include "engine/kernels/ref/mamba_scan.h"

namespace ingle::kernels {

void channelScanRef(const ChannelScanToken& token, float* state, float* y, size_t begin, size_t end,
                    size_t stateSize) noexcept {
    for (size_t p = begin; p < end; ++p) {
        const float step = discretise(token.rawStep[p], token.stepBias[p], 0).step;
        const float added = step * token.x[p];
        float* row = state + p * stateSize;
        float sum = 0;
        for (size_t n = 0; n < stateSize; ++n) {
            row[n] = std::exp(step * token.decay[p * stateSize + n]) * row[n] + added * token.b[n];
            sum += token.c[n] * row[n];
        }
        y[p] = sum + token.skip[p] * token.x[p];
    }
}

void channelDeltaRef(const ChannelDeltaToken& token, float* state, float* error, float* y, size_t keyDim,
                     size_t valueDim) noexcept {
    std::copy_n(token.v, valueDim, error);
    for (size_t j = 0; j < keyDim; ++j) {
        const float step = token.rawStep[j] + token.stepBias[j];
        const float decay = token.lowest == 0
                                ? discretise(token.rawStep[j], token.stepBias[j], token.decay).decay
                                : std::exp(token.lowest / (1 + std::exp(-token.decay * step)));
        for (size_t i = 0; i < valueDim; ++i) {
            state[j * valueDim + i] *= decay;
            error[i] -= token.k[j] * state[j * valueDim + i];
        }
    }
    for (size_t i = 0; i < valueDim; ++i) error[i] *= token.rate;
    std::fill_n(y, valueDim, 0.0F);
    for (size_t j = 0; j < keyDim; ++j) {
        for (size_t i = 0; i < valueDim; ++i) {
            state[j * valueDim + i] += token.k[j] * error[i];
            y[i] += token.q[j] * state[j * valueDim + i];
        }
    }
}

}  // namespace ingle::kernels
