#include "engine/kernels/ref/round_activations.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <numeric>

namespace ingle::kernels {
namespace {

ActivationBlock roundBlock(const float* x) {
    // Magnitudes compare like integers, and a NaN is larger than anything.
    uint32_t largestBits = 0;
    for (uint32_t i = 0; i < kActivationBlock; ++i)
        largestBits = std::max(largestBits, std::bit_cast<uint32_t>(x[i]) & 0x7FFFFFFF);
    const auto largest = std::bit_cast<float>(largestBits);
    ActivationBlock block{};
    if (!(largest <= FLT_MAX)) {
        block.scale = block.scaledSum = std::numeric_limits<float>::quiet_NaN();
        return block;
    }
    if (largest < 0x1p-120F) return block;
    const float inverse = 127.0F / largest;
    for (uint32_t i = 0; i < kActivationBlock; ++i)
        block.q[i] = static_cast<int8_t>(std::nearbyint(x[i] * inverse));
    block.scale = largest / 127.0F;
    for (uint32_t half = 0; half < 2; ++half)
        block.minusHalves[half] = -std::accumulate(block.q + 16 * half, block.q + 16 * half + 16, 0);
    block.minusSum = block.minusHalves[0] + block.minusHalves[1];
    block.scaledSum = block.scale * static_cast<float>(-block.minusSum);
    return block;
}

}  // namespace

void roundActivationsRef(const float* x, size_t k, ActivationBlock* blocks) noexcept {
    for (size_t i = 0; i < k; i += kActivationBlock) *blocks++ = roundBlock(x + i);
}

}  // namespace ingle::kernels
