/// Activations rounded to 8 bits: what integer matmuls multiply with. Plain data.
#pragma once

#include <cstdint>

namespace ingle::kernels {

inline constexpr uint32_t kActivationBlock = 32;

/// 32 consecutive activations of a row, x_i ≈ scale * q_i. The sums serve weights that are stored with an
/// offset (value = q - offset) or with a minimum per block; they are exact.
struct ActivationBlock {
    int8_t q[kActivationBlock];
    float scale;             ///< largest magnitude / 127
    float scaledSum;         ///< scale * sum of q
    int32_t minusSum;        ///< minus the sum of q
    int32_t minusHalves[2];  ///< minus the sums of q[0..16) and q[16..32)
};

}  // namespace ingle::kernels
