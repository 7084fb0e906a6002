/// Sizes that no real model comes near: what a damaged file says cannot make tables longer than memory, and
/// products of two widths stay inside 32 bits.
#pragma once

#include <cstdint>

namespace ingle::models {

inline constexpr uint32_t kMaxLayers = 1u << 12;
inline constexpr uint32_t kMaxRowElems = 1u << 20;
inline constexpr uint32_t kMaxHeadDim = 1u << 11;
inline constexpr uint32_t kMaxExperts = 1u << 10;
/// Rows of a short convolution. One alone would be no convolution, and keep nothing of a sequence.
inline constexpr uint32_t kLeastKernel = 2, kMaxKernel = 64;

}  // namespace ingle::models
