#include "engine/kernels/ref/wkv4.h"

#include <algorithm>
#include <cmath>

namespace ingle::kernels {

void wkv4Ref(const float* k, const float* v, const float* w, const float* u, const Wkv4State& state, float* y,
             size_t n) {
    for (size_t i = 0; i < n; ++i) {
        const float exponent = state.exponent[i];
        const float bonus = u[i] + k[i];
        const float now = std::max(exponent, bonus);
        const float past = std::exp(exponent - now);
        const float present = std::exp(bonus - now);
        y[i] = (past * state.numerator[i] + present * v[i]) / (past * state.denominator[i] + present);

        const float decayed = exponent + w[i];
        const float next = std::max(decayed, k[i]);
        const float keep = std::exp(decayed - next);
        const float take = std::exp(k[i] - next);
        state.numerator[i] = keep * state.numerator[i] + take * v[i];
        state.denominator[i] = keep * state.denominator[i] + take;
        state.exponent[i] = next;
    }
}

}  // namespace ingle::kernels
