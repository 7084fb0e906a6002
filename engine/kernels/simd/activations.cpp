// Activation functions; see engine/kernels/ref/elementwise.h. What a lane gets does not depend on its
// neighbours.
#include "engine/kernels/simd/exp.h"

namespace ingle::kernels::INGLE_ISA::activations {
namespace {

Floats sigmoidOf(Floats x) {
    const Floats one = broadcast(1.0F);
    return divide(one, add(one, exp(negate(x))));
}

Floats siluOf(Floats x) {
    return divide(x, add(broadcast(1.0F), exp(negate(x))));
}

Floats squaredReluOf(Floats x) {
    const Floats positive = max(zeroFloats(), x);
    return multiply(positive, positive);
}

Floats decayOf(Floats x) {
    return exp(negate(exp(x)));
}

Floats boundedDecayOf(Floats x) {
    constexpr float kBound = -0.60653066F;  // -e^-0.5
    return exp(multiply(broadcast(kBound), sigmoidOf(x)));
}

/// 1 + tanh(z) = 2 sigmoid(2 z).
Floats geluOf(Floats x) {
    constexpr float kTwoRootsOfTwoOverPi = 1.5957691216F;
    const Floats inner = fma(multiply(x, x), broadcast(0.044715F), broadcast(1.0F));
    return multiply(x, sigmoidOf(multiply(multiply(broadcast(kTwoRootsOfTwoOverPi), x), inner)));
}

/// max(x, 0) - |x| erfc(|x| / √2) / 2, erfc to 1.5e-7. Source: Abramowitz & Stegun, "Handbook of Mathematical
/// Functions" (1964), 7.1.26.
Floats geluErfOf(Floats x) {
    constexpr float kRootOfHalf = 0.70710678F;
    const Floats size = max(negate(x), x);
    const Floats z = multiply(size, broadcast(kRootOfHalf));
    const Floats t = divide(broadcast(1.0F), fma(z, broadcast(0.3275911F), broadcast(1.0F)));
    constexpr float kFactors[] = {-1.453152027F, 1.421413741F, -0.284496736F, 0.254829592F};
    Floats p = broadcast(1.061405429F);
    for (const float factor : kFactors) p = fma(p, t, broadcast(factor));
    const Floats half = multiply(broadcast(0.5F), multiply(multiply(p, t), exp(negate(multiply(z, z)))));
    return fma(negate(size), half, max(zeroFloats(), x));
}

template <Floats (*kFunction)(Floats)>
void map(const float* x, float* y, size_t n) noexcept {
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) store(y + i, kFunction(load(x + i)));
    const auto rest = static_cast<uint32_t>(n - i);
    if (rest > 0) storeLanes(y + i, kFunction(loadPart(x + i, rest)), 0, rest);
}

constexpr KernelEntry kEntries[] = {
    {.op = KernelOp::Sigmoid, .isa = kIsa, .fn = {.map = map<sigmoidOf>}},
    {.op = KernelOp::Silu, .isa = kIsa, .fn = {.map = map<siluOf>}},
    {.op = KernelOp::SquaredRelu, .isa = kIsa, .fn = {.map = map<squaredReluOf>}},
    {.op = KernelOp::Decay, .isa = kIsa, .fn = {.map = map<decayOf>}},
    {.op = KernelOp::BoundedDecay, .isa = kIsa, .fn = {.map = map<boundedDecayOf>}},
    {.op = KernelOp::Gelu, .isa = kIsa, .fn = {.map = map<geluOf>}},
    {.op = KernelOp::GeluErf, .isa = kIsa, .fn = {.map = map<geluErfOf>}},
};

}  // namespace

extern const KernelList list = {kEntries, 7};

}  // namespace ingle::kernels::INGLE_ISA::activations
