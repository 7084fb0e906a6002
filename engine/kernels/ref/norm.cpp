#include "engine/kernels/ref/norm.h"

#include <algorithm>
#include <cmath>

namespace ingle::kernels {

void rmsNormRef(const float* x, const float* g, float* y, size_t numRows, size_t dim, float eps) noexcept {
    for (size_t row = 0; row < numRows; ++row, x += dim, y += dim) {
        float squares = 0;
        for (size_t i = 0; i < dim; ++i) squares += x[i] * x[i];
        const float inverse = 1.0f / std::sqrt(squares / static_cast<float>(dim) + eps);
        for (size_t i = 0; i < dim; ++i) y[i] = x[i] * inverse * g[i];
    }
}

void groupNormRef(const float* x, const float* g, const float* b, float* y, size_t numRows, size_t dim,
                  size_t groups, float eps) noexcept {
    const size_t size = dim / groups;
    for (size_t part = 0; part < numRows * groups; ++part) {
        const float* in = x + part * size;
        float* out = y + part * size;
        const size_t channel = part % groups * size;
        float sum = 0;
        for (size_t i = 0; i < size; ++i) sum += in[i];
        const float mean = sum / static_cast<float>(size);
        float squares = 0;
        for (size_t i = 0; i < size; ++i) squares += (in[i] - mean) * (in[i] - mean);
        const float inverse = 1.0f / std::sqrt(squares / static_cast<float>(size) + eps);
        for (size_t i = 0; i < size; ++i) out[i] = (in[i] - mean) * inverse * g[channel + i] + b[channel + i];
    }
}

void l2NormRef(const float* x, const float* g, float* y, size_t numRows, size_t dim, size_t groups,
               float eps) {
    const size_t size = dim / groups;
    for (size_t part = 0; part < numRows * groups; ++part) {
        const float* in = x + part * size;
        const float* gain = g + part % groups * size;
        float* out = y + part * size;
        float squares = 0;
        for (size_t i = 0; i < size; ++i) {
            out[i] = in[i] * gain[i];
            squares += out[i] * out[i];
        }
        const float inverse = 1.0f / std::max(std::sqrt(squares), eps);
        for (size_t i = 0; i < size; ++i) out[i] *= inverse;
    }
}

}  // namespace ingle::kernels
