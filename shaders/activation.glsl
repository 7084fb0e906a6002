// y = f(x).
#define INGLE_ACTIVATION(number, Kind, function) const uint k##Kind = number;
#include "engine/kernels/activation_kinds.inc"
#undef INGLE_ACTIVATION

float sigmoid(float x) {
    return 1 / (1 + exp(-x));
}
// ln(1 + e^x). Where 1 + e rounds to u, e ln(u) / (u - 1) is ln(1 + e) to the last bits.
float softplus(float x) {
    const float e = exp(-abs(x));
    precise const float u = 1 + e;
    precise const float rounded = u - 1;
    return max(x, 0) + (rounded == 0 ? e : log(u) * (e / rounded));
}
// erfc(z) for z of 0 or more, to 1.5e-7. Source: Abramowitz & Stegun, "Handbook of Mathematical Functions" (1964),
// 7.1.26.
float erfc(float z) {
    const float t = 1 / (1 + 0.3275911 * z);
    const float p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    return p * exp(-z * z);
}
float activate(uint kind, float x) {
    switch (kind) {
        case kSilu: return x / (1 + exp(-x));
        case kSigmoid: return sigmoid(x);
        case kSquaredRelu: return max(x, 0) * max(x, 0);
        // exp(2|x|) may be infinite, which gives 1; drivers' tanh of large values may not.
        case kTanh: return sign(x) * (1 - 2 / (exp(2 * abs(x)) + 1));
        case kDecay: return exp(-exp(x));
        case kBoundedDecay: return exp(-sigmoid(x) / 1.6487212707);  // the root of e
        // tanh by the logistic function: 1 + tanh(z) = 2 sigmoid(2 z); the factor is 2 √(2/π).
        case kGelu: return x * sigmoid(1.5957691216 * x * (1 + 0.044715 * x * x));
        case kGeluQuick: return x * sigmoid(1.702 * x);
        case kGeluErf: return max(x, 0) - 0.5 * abs(x) * erfc(0.7071067812 * abs(x));
        case kRelu: return max(x, 0);
        case kSoftplus: return softplus(x);
    }
    return x;
}
