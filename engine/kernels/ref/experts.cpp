#include "engine/kernels/ref/experts.h"

#include <algorithm>
#include <cmath>

namespace ingle::kernels {

void routeExpertsRef(const float* x, float* p, size_t numExperts, size_t numUsed) {
    const float largest = *std::max_element(x, x + numExperts);
    // Not chosen yet: the probability's negative, so that no second array is needed.
    float total = 0;
    for (size_t e = 0; e < numExperts; ++e) {
        p[e] = -std::exp(x[e] - largest);
        total -= p[e];
    }
    float chosenTotal = 0;
    for (size_t used = 0; used < numUsed; ++used) {
        float* best = std::min_element(p, p + numExperts);  // the first of equals
        *best = -*best / total;
        chosenTotal += *best;
    }
    // Whatever x held, at most numUsed are positive now.
    for (size_t e = 0; e < numExperts; ++e) p[e] = p[e] > 0 ? p[e] / chosenTotal : 0;
}

void expertSumRef(const float* x, const float* p, float* y, size_t numExperts, size_t dim) {
    std::fill_n(y, dim, 0.0f);
    for (size_t e = 0; e < numExperts; ++e) {
        if (p[e] == 0) continue;
        for (size_t i = 0; i < dim; ++i) y[i] += p[e] * x[i];
        x += dim;
    }
}

}  // namespace ingle::kernels
