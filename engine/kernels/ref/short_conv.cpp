#include "engine/kernels/ref/short_conv.h"

namespace ingle::kernels {

void shortConvRef(const ShortConv& conv, const float* x, float* before, float* y, size_t numRows,
                  size_t begin, size_t end) {
    const auto [weights, bias, width, kernel] = conv;
    const size_t kept = kernel - 1;
    // Row i of those before and those of the run, as if they lay back to back.
    const auto rowAt = [&](size_t i) { return i < kept ? before + i * width : x + (i - kept) * width; };
    for (size_t t = 0; t < numRows; ++t) {
        float* out = y + t * width;
        for (size_t c = begin; c < end; ++c) out[c] = 0;
        for (size_t j = 0; j < kernel; ++j) {
            const float* row = rowAt(t + j);
            for (size_t c = begin; c < end; ++c) out[c] += weights[c * kernel + j] * row[c];
        }
        for (size_t c = begin; bias && c < end; ++c) out[c] += bias[c];
    }
    for (size_t i = 0; i < kept; ++i) {
        const float* row = rowAt(i + numRows);
        for (size_t c = begin; c < end; ++c) before[i * width + c] = row[c];
    }
}

}  // namespace ingle::kernels
