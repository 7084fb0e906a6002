/// Rotary position embedding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ingle::kernels {

/// cosSin[2p], cosSin[2p+1] = cos and sin of position * frequencies[p], times magnitude; R = 2 *
/// frequencies.size(). Source: Su et al., "RoFormer" (2021), eq. 15.
void ropeAnglesRef(uint32_t position, std::span<const double> frequencies, float magnitude,
                   std::span<float> cosSin);

/// The same, where pair p is at position coordinates[axes[p]].
void ropeAxisAnglesRef(std::span<const uint32_t> coordinates, std::span<const uint8_t> axes,
                       std::span<const double> frequencies, float magnitude, std::span<float> cosSin);

/// Rotates the first R = cosSin.size() dimensions of one head, pairs (2p, 2p+1). x and y may alias.
void ropeInterleavedRef(const float* x, std::span<const float> cosSin, float* y, size_t headDim);
/// The same with pairs (p, p + R/2).
void ropeHalfSplitRef(const float* x, std::span<const float> cosSin, float* y, size_t headDim);

}  // namespace ingle::kernels
