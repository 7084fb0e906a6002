/// The RWKV-4 recurrence.
#pragma once

#include <cstddef>

namespace ingle::kernels {

/// Weighted sums of n channels, both divided by exp(exponent) so that they stay in range.
struct Wkv4State {
    float* numerator;
    float* denominator;
    float* exponent;  ///< -1e30 before the first token
};

/// One token of n channels:  y = (N + e^(u+k) v) / (D + e^(u+k)),  then  N = e^w N + e^k v,  D = e^w D + e^k.
/// k, v, w, u, y: [n]; w < 0 is the logarithm of the decay. Source: Peng et al., "RWKV: Reinventing RNNs for
/// the Transformer Era" (2023), eq. 16 and appendix D (numerical stability).
void wkv4Ref(const float* k, const float* v, const float* w, const float* u, const Wkv4State& state, float* y,
             size_t n);

}  // namespace ingle::kernels
