#include "engine/kernels/select.h"

#include <algorithm>

#include "engine/kernels/ref/block_matmul.h"
#include "engine/kernels/ref/matmul.h"
#include "engine/kernels/ref/round_activations.h"

namespace ingle::kernels {
namespace {

constexpr KernelEntry kRefEntries[] = {{.op = KernelOp::RoundActivations,
                                        .isa = base::Isa::Scalar,
                                        .fn = {.roundActivations = roundActivationsRef}}};
constexpr KernelList kRefList{kRefEntries, std::size(kRefEntries)};

std::vector<KernelEntry> collect() {
    std::vector<const KernelList*> lists{&kRefList, &blockMatmulsRef()};
#if defined(__x86_64__)
    std::ranges::copy(avx2Kernels(), std::back_inserter(lists));
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
        if (entry.op == op && entry.isa <= isa) best = entry.fn;
    }
    return best;
}

MatmulKernel selectMatmul(const quant::QuantFormat& format, uint32_t numOut, base::Isa isa,
                          ActivationType activations) {
    MatmulKernel best{matmulRef, ActivationForm::Floats};
    for (const KernelEntry& entry : allKernels()) {
        if (entry.op != KernelOp::Matmul || entry.weight != format.id || entry.isa > isa) continue;
        if (activations == ActivationType::F32 && entry.activation != ActivationForm::Floats) continue;
        if (entry.minOutputs <= numOut) best = {entry.fn.matmul, entry.activation};
    }
    return best;
}

}  // namespace ingle::kernels
