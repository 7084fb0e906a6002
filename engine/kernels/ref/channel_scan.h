/// Recurrences whose decay is a number for each channel, one token at a time.
#pragma once

#include <cstddef>

namespace ingle::kernels {

/// What a token gives `width` channels of Mamba; decay, skip: A and D.
struct ChannelScanToken {
    const float* x;  ///< [width], as rawStep
    const float* b;  ///< [stateSize], as c
    const float* c;
    const float* rawStep;
    const float* decay;  ///< [width, stateSize]
    const float* skip;   ///< [width], as stepBias
    const float* stepBias;
};

/// d_p = ln(1 + e^(rawStep_p + stepBias_p));  S_pn = exp(d_p A_pn) S_pn + d_p b_n x_p;  y_p = sum_n c_n S_pn
/// + D_p x_p, for the channels [begin, end). S: [width, stateSize]. Source: Gu & Dao, "Mamba: Linear-Time
/// Sequence Modeling with Selective State Spaces" (2023), section 3.
void channelScanRef(const ChannelScanToken& token, float* state, float* y, size_t begin, size_t end,
                    size_t stateSize) noexcept;

/// What a token gives a head of Kimi's delta attention.
struct ChannelDeltaToken {
    const float* q;  ///< [keyDim], as k, rawStep and stepBias
    const float* k;
    const float* v;  ///< [valueDim]
    const float* rawStep;
    const float* stepBias;
    float decay;  ///< A
    float rate;
    float lowest;  ///< 0: decays have no lower bound
};

/// g_j = A ln(1 + e^(rawStep_j + stepBias_j)), or with a lower bound  lowest / (1 + e^(-A (rawStep_j +
/// stepBias_j)));  S_ji = exp(g_j) S_ji;  e_i = rate (v_i - sum_j k_j S_ji);  S_ji = S_ji + k_j e_i;  y_i =
/// sum_j q_j S_ji. S: [keyDim, valueDim]; error: [valueDim], scratch. Source: Kimi Team, "Kimi Linear: An
/// Expressive, Efficient Attention Architecture" (2025), section 3.
void channelDeltaRef(const ChannelDeltaToken& token, float* state, float* error, float* y, size_t keyDim,
                     size_t valueDim) noexcept;

}  // namespace ingle::kernels
