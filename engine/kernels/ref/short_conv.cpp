#include "engine/kernels/ref/short_conv.h"

namespace ingle::kernels {

void shortConvRef(const ShortConv& conv, const float* x, float* before, float* y, size_t numRows,
                  size_t begin, size_t end, float* turned) {
    const auto [weights, bias, width, kernel] = conv;
    const size_t kept = kernel - 1;
    const size_t count = end - begin;
    for (size_t c = 0; c < count; ++c) {
        for (size_t j = 0; j < kernel; ++j) turned[j * count + c] = weights[(begin + c) * kernel + j];
    }
    // Row i of those before and those of the run, as if they lay back to back, from the first channel on.
    const auto rowAt = [&](size_t i) {
        return (i < kept ? before + i * width : x + (i - kept) * width) + begin;
    };
    for (size_t t = 0; t < numRows; ++t) {
        float* out = y + t * width + begin;
        for (size_t c = 0; c < count; ++c) out[c] = 0;
        for (size_t j = 0; j < kernel; ++j) {
            const float* row = rowAt(t + j);
            const float* w = turned + j * count;
            for (size_t c = 0; c < count; ++c) out[c] += w[c] * row[c];
        }
        for (size_t c = 0; bias && c < count; ++c) out[c] += bias[begin + c];
    }
    for (size_t i = 0; i < kept; ++i) {
        const float* row = rowAt(i + numRows);
        float* to = before + i * width + begin;
        for (size_t c = 0; c < count; ++c) to[c] = row[c];
    }
}

}  // namespace ingle::kernels
