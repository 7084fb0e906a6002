// y = f(x). Kinds in the order of backend::ActivationKind.
const uint kSilu = 0, kSigmoid = 1, kSquaredRelu = 2, kTanh = 3, kDecay = 4, kBoundedDecay = 5;

float sigmoid(float x) {
    return 1 / (1 + exp(-x));
}
float activate(uint kind, float x) {
    switch (kind) {
        case kSilu: return x / (1 + exp(-x));
        case kSigmoid: return sigmoid(x);
        case kSquaredRelu: return max(x, 0) * max(x, 0);
        // exp(2|x|) may be infinite, which gives 1; drivers' tanh of large values may not.
        case kTanh: return sign(x) * (1 - 2 / (exp(2 * abs(x)) + 1));
        case kDecay: return exp(-exp(x));
        default: return exp(-sigmoid(x) / 1.6487212707);  // the root of e
    }
}
