#include "engine/kernels/ref/short_conv.h"

#include <algorithm>

namespace ingle::kernels {

void shortConvRef(const ShortConv& conv, const float* x, const ShortConvRing& ring, size_t firstPosition,
                  float* y, size_t numRows, size_t begin, size_t end, float* turned) {
    const float* weights = conv.weights;
    const float* bias = conv.bias;
    const size_t width = conv.width, kernel = conv.kernel;
    const size_t before = kernel - 1;
    const auto ringRow = [&](size_t row) { return ring.rows + row % ring.size * width + begin; };
    const size_t count = end - begin;
    for (size_t c = 0; c < count; ++c) {
        for (size_t j = 0; j < kernel; ++j) turned[j * count + c] = weights[(begin + c) * kernel + j];
    }
    // Row i of the `before` rows ahead and those of the run, as if they lay back to back.
    const auto rowAt = [&](size_t i) -> const float* {
        if (i >= before) return x + (i - before) * width + begin;
        return ringRow(firstPosition + ring.size - before + i);
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
    for (size_t t = numRows - std::min(numRows, ring.size); t < numRows; ++t)
        std::copy_n(x + t * width + begin, count, ringRow(firstPosition + t));
}

}  // namespace ingle::kernels
