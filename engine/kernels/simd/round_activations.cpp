// Activations to 8 bits; the same bits as engine/kernels/ref/round_activations.cpp.
#include "engine/kernels/simd/simd.h"

namespace ingle::kernels::INGLE_ISA::round_activations {
namespace {

constexpr uint32_t kVectors = kActivationBlock / kLanes;

float asFloat(uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

void roundBlock(const float* x, ActivationBlock& block) {
    Floats values[kVectors];
    Ints magnitude = zeroInts();
    for (uint32_t v = 0; v < kVectors; ++v) {
        values[v] = load(x + v * kLanes);
        magnitude = maxSigned(magnitude, bitAnd(asInts(values[v]), broadcastInt(0x7FFFFFFF)));
    }
    const float largest = asFloat(static_cast<uint32_t>(largestLane(magnitude)));
    float scale = largest / 127.0F;
    Floats inverse = broadcast(127.0F / largest);
    const bool finite = largest <= __FLT_MAX__;
    if (!finite || largest < 0x1p-120F) {
        scale = finite ? 0.0F : __builtin_nanf("");
        inverse = zeroFloats();
        for (Floats& value : values) value = zeroFloats();
    }
    int32_t halves[2] = {0, 0};
    for (uint32_t v = 0; v < kVectors; ++v) {
        const Ints q = roundToInts(multiply(values[v], inverse));
        storeAsBytes(block.q + v * kLanes, q);
        halves[v * kLanes / 16] += sumOfLanes(q);
    }
    block.scale = scale;
    block.scaledSum = scale * static_cast<float>(halves[0] + halves[1]);
    block.minusSum = -(halves[0] + halves[1]);
    block.minusHalves[0] = -halves[0];
    block.minusHalves[1] = -halves[1];
}

void roundActivations(const float* x, size_t k, ActivationBlock* blocks) noexcept {
    for (size_t i = 0; i < k; i += kActivationBlock) roundBlock(x + i, *blocks++);
}

constexpr KernelEntry kEntries[] = {
    {.op = KernelOp::RoundActivations, .isa = kIsa, .fn = {.roundActivations = roundActivations}}};

}  // namespace

extern const KernelList list = {kEntries, 1};

}  // namespace ingle::kernels::INGLE_ISA::round_activations
