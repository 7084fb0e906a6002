// How many products of bytes a core adds up in a second at most.
#include "engine/kernels/simd/simd.h"

namespace ingle::kernels::INGLE_ISA::dot_peak {
namespace {

using NibbleDots = Dots<15>;
/// Chains that do not wait for each other: two products begin in a cycle and take five. Where products are
/// added in 16 bits, an addition takes one, and more chains would not fit the registers.
constexpr uint32_t kChains = sizeof(NibbleDots) == sizeof(Ints) ? 10 : 5;

uint64_t dotPeak(uint32_t steps) noexcept {
    Ints weights = bytes(3);
    const Ints activations = bytes(5);
    NibbleDots dots[kChains];
    for (NibbleDots& chain : dots) chain = {zeroInts()};
    for (uint32_t step = 0; step < steps; ++step) {
        for (uint32_t i = 0; i < NibbleDots::kSteps; ++i) {
            asm("" : "+x"(weights));  // no product is that of the step before
            for (NibbleDots& chain : dots) chain.step(weights, activations);
        }
        for (NibbleDots& chain : dots) chain.settle();
    }
    Ints sum = zeroInts();
    for (const NibbleDots& chain : dots) sum = add(sum, chain.sums);
    asm volatile("" : : "x"(sum));  // the products are wanted
    return uint64_t{steps} * NibbleDots::kSteps * kChains * kLanes * 4;
}

constexpr KernelEntry kEntries[] = {
    {.op = KernelOp::DotPeak, .isa = kIsa, .fn = {.dotPeak = dotPeak}},
};

}  // namespace

extern const KernelList list = {kEntries, 1};

}  // namespace ingle::kernels::INGLE_ISA::dot_peak
