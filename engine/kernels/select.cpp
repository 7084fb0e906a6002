#include "engine/kernels/select.h"

#include "engine/kernels/ref/matmul.h"

#if !defined(__x86_64__)
namespace ingle::kernels {
std::span<const KernelList* const> archKernels() {
    return {};
}
}  // namespace ingle::kernels
#endif

namespace ingle::kernels {

std::vector<KernelEntry> allKernels() {
    std::vector<KernelEntry> entries{
        {KernelOp::Matmul, quant::kQ8_0, quant::kQ8_0, base::Isa::Scalar, {.matmul = matmulQ8Ref}}};
    for (const KernelList* list : archKernels()) {
        entries.insert(entries.end(), list->entries, list->entries + list->count);
    }
    return entries;
}

MatmulKernel selectMatmul(const quant::QuantFormat& format, base::Isa isa, ActivationType activations) {
    const KernelEntry* best = nullptr;
    static const std::vector<KernelEntry> entries = allKernels();
    for (const KernelEntry& entry : entries) {
        if (entry.op != KernelOp::Matmul || entry.weight != format.id || entry.isa > isa) continue;
        if (activations == ActivationType::F32 && entry.activation != quant::kF32) continue;
        if (!best || entry.isa > best->isa) best = &entry;
    }
    if (best) return {best->fn.matmul, best->activation};
    return {matmulRef, quant::kF32};
}

}  // namespace ingle::kernels
