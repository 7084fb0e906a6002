#include "engine/kernels/ref/rope.h"

#include <cmath>

namespace ingle::kernels {
namespace {

/// Pair p is (x[p * stride], x[p * stride + distance]).
void rotate(const float* x, std::span<const float> cosSin, float* y, size_t headDim, size_t stride,
            size_t distance) {
    for (size_t pair = 0; pair < cosSin.size() / 2; ++pair) {
        const float a = x[pair * stride];
        const float b = x[pair * stride + distance];
        const float cos = cosSin[2 * pair];
        const float sin = cosSin[2 * pair + 1];
        y[pair * stride] = a * cos - b * sin;
        y[pair * stride + distance] = a * sin + b * cos;
    }
    for (size_t i = cosSin.size(); i < headDim; ++i) y[i] = x[i];
}

}  // namespace

void ropeAnglesRef(uint32_t position, std::span<const double> frequencies, float magnitude,
                   std::span<float> cosSin) {
    // In double: at position 100,000 an f32 angle is off by 0.004.
    for (size_t pair = 0; pair < frequencies.size(); ++pair) {
        const double angle = position * frequencies[pair];
        cosSin[2 * pair] = static_cast<float>(std::cos(angle)) * magnitude;
        cosSin[2 * pair + 1] = static_cast<float>(std::sin(angle)) * magnitude;
    }
}

void ropeAxisAnglesRef(std::span<const uint32_t> coordinates, std::span<const uint8_t> axes,
                       std::span<const double> frequencies, float magnitude, std::span<float> cosSin) {
    for (size_t pair = 0; pair < frequencies.size(); ++pair)
        ropeAnglesRef(coordinates[axes[pair]], frequencies.subspan(pair, 1), magnitude,
                      cosSin.subspan(2 * pair, 2));
}

void ropeInterleavedRef(const float* x, std::span<const float> cosSin, float* y, size_t headDim) {
    rotate(x, cosSin, y, headDim, 2, 1);
}

void ropeHalfSplitRef(const float* x, std::span<const float> cosSin, float* y, size_t headDim) {
    rotate(x, cosSin, y, headDim, 1, cosSin.size() / 2);
}

}  // namespace ingle::kernels
