#include "engine/kernels/select.h"

#include <algorithm>

#include "engine/kernels/ref/attention.h"
#include "engine/kernels/ref/block_matmul.h"
#include "engine/kernels/ref/chunks.h"
#include "engine/kernels/ref/elementwise.h"
#include "engine/kernels/ref/gated_delta.h"
#include "engine/kernels/ref/mamba_scan.h"
#include "engine/kernels/ref/matmul.h"
#include "engine/kernels/ref/norm.h"
#include "engine/kernels/ref/round_activations.h"
#include "engine/kernels/ref/wkv5.h"
#include "engine/kernels/ref/wkv7.h"
#include "engine/quant/block.h"

namespace ingle::kernels {
namespace {

template <float (*kFunction)(float)>
void mapRef(const float* x, float* y, size_t n) noexcept {
    for (size_t i = 0; i < n; ++i) y[i] = kFunction(x[i]);
}

void fromHalvesRef(const std::byte* halves, float* y, size_t n) noexcept {
    for (size_t i = 0; i < n; ++i) y[i] = quant::halfAt(halves + 2 * i);
}

void toHalvesRef(const float* x, std::byte* halves, size_t n) noexcept {
    for (size_t i = 0; i < n; ++i) quant::storeHalf(halves + 2 * i, x[i]);
}

uint64_t dotPeakRef(uint32_t steps) noexcept {
    volatile int8_t bytes[2] = {3, 5};
    const int8_t weight = bytes[0], activation = bytes[1];
    int32_t sum = 0;
    for (uint32_t step = 0; step < steps; ++step) {
        sum += weight * activation;
        asm volatile("" : "+r"(sum));
    }
    return steps;
}

constexpr KernelEntry refEntry(KernelOp op, KernelFn fn) {
    return {.op = op, .isa = base::Isa::Scalar, .fn = fn};
}

constexpr KernelEntry kRefEntries[] = {
    refEntry(KernelOp::RoundActivations, {.roundActivations = roundActivationsRef}),
    refEntry(KernelOp::DotPeak, {.dotPeak = dotPeakRef}),
#define INGLE_ACTIVATION(number, Kind, function) refEntry(KernelOp::Kind, {.map = mapRef<function##Ref>}),
#include "engine/kernels/activation_kinds.inc"
#undef INGLE_ACTIVATION
    refEntry(KernelOp::FromHalves, {.fromHalves = fromHalvesRef}),
    refEntry(KernelOp::ToHalves, {.toHalves = toHalvesRef}),
    refEntry(KernelOp::RmsNorm, {.rmsNorm = rmsNormRef}),
    refEntry(KernelOp::GroupNorm, {.groupNorm = groupNormRef}),
    refEntry(KernelOp::TransposeKeys, {.transposeKeys = transposeKeysRef}),
    refEntry(KernelOp::AttentionScores, {.attentionScores = attentionScoresRef}),
    refEntry(KernelOp::AttentionScoresOfHalves, {.attentionScores = attentionScoresOfHalvesRef}),
    refEntry(KernelOp::AttentionScoresOfBlocks, {.blockScores = attentionScoresOfBlocksRef}),
    refEntry(KernelOp::AbsorbPage, {.absorbPage = absorbPageRef}),
    refEntry(KernelOp::AbsorbPageOfHalves, {.absorbPage = absorbPageOfHalvesRef}),
    refEntry(KernelOp::AbsorbPageOfBlocks, {.absorbPage = absorbPageOfBlocksRef}),
    refEntry(KernelOp::Wkv5, {.wkv5 = wkv5Ref}),
    refEntry(KernelOp::Wkv7, {.wkv7 = wkv7Ref}),
    refEntry(KernelOp::GatedDelta, {.gatedDelta = gatedDeltaRef}),
    refEntry(KernelOp::MambaScan, {.mambaScan = mambaScanRef}),
    refEntry(KernelOp::FoldChunk, {.foldChunk = foldChunkRef}),
};
constexpr KernelList kRefList{kRefEntries, std::size(kRefEntries)};

std::vector<KernelEntry> collect() {
    std::vector<const KernelList*> lists{&kRefList, &blockMatmulsRef()};
#if defined(__x86_64__) && !defined(INGLE_NO_SIMD)
    std::ranges::copy(avx2Kernels(), std::back_inserter(lists));
    std::ranges::copy(avxvnniKernels(), std::back_inserter(lists));
    std::ranges::copy(avx512Kernels(), std::back_inserter(lists));
#endif
    std::vector<KernelEntry> entries;
    for (const KernelList* list : lists) {
        entries.insert(entries.end(), list->entries, list->entries + list->count);
    }
    return entries;
}

}  // namespace

std::span<const KernelEntry> allKernels() {
    static const std::vector<KernelEntry> entries = collect();
    return entries;
}

KernelFn selectKernel(KernelOp op, base::Isa isa) {
    KernelFn best{};
    for (const KernelEntry& entry : allKernels()) {
        if (entry.op == op && base::includes(isa, entry.isa)) best = entry.fn;
    }
    return best;
}

MatmulKernel selectMatmul(const quant::QuantFormat& format, uint32_t numOut, base::Isa isa,
                          ActivationType activations) {
    MatmulKernel best{matmulRef, ActivationForm::Floats};
    for (const KernelEntry& entry : allKernels()) {
        if (entry.op != KernelOp::Matmul || entry.weight != format.id) continue;
        if (!base::includes(isa, entry.isa)) continue;
        if (activations == ActivationType::F32 && entry.activation != ActivationForm::Floats) continue;
        if (entry.minOutputs <= numOut) best = {entry.fn.matmul, entry.activation};
    }
    return best;
}

}  // namespace ingle::kernels
