/// Mixtures of experts: who computes, and how the results are joined. A routing row p: [numExperts] holds the
/// chosen experts' shares and zeros.
#pragma once

#include <cstddef>

namespace ingle::kernels {

/// p = softmax(x), of which the numUsed largest stay (ties: the lower expert) and are divided by their sum;
/// x, p: [numExperts], not aliased; 0 < numUsed <= numExperts. Source: Jiang et al., "Mixtral of Experts"
/// (2024), section 2.1.
void routeExpertsRef(const float* x, float* p, size_t numExperts, size_t numUsed);

/// y = sum over the chosen experts, in their order, of p_e x_s, where the s-th chosen one's result is part s
/// of x: [numUsed, dim]; y: [dim].
void expertSumRef(const float* x, const float* p, float* y, size_t numExperts, size_t dim);

}  // namespace ingle::kernels
