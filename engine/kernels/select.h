/// Which kernel computes what on this processor.
#pragma once

#include <span>
#include <vector>

#include "engine/kernels/kernel_table.h"
#include "engine/quant/format.h"
#include "ingle/types.h"

namespace ingle::kernels {

// The files of engine/kernels/simd as compiled for each instruction set (generated; absent elsewhere).
#if defined(__x86_64__) && !defined(INGLE_NO_SIMD)
std::span<const KernelList* const> avx2Kernels();
std::span<const KernelList* const> avxvnniKernels();
std::span<const KernelList* const> avx512Kernels();
#endif

/// Every entry this build holds, the scalar ones included, worst instruction set first.
std::span<const KernelEntry> allKernels();

/// The best kernel of an op other than Matmul on a processor with `isa` (and what `isa` implies).
KernelFn selectKernel(KernelOp op, base::Isa isa);

struct MatmulKernel {
    MatmulFn fn;
    ActivationForm activation;
};

/// The matmul for `numOut` rows of weights of `format` on a processor with `isa`: the best entry whose
/// activations `activations` admits, else the reference, which decodes any format and takes floats.
MatmulKernel selectMatmul(const quant::QuantFormat& format, uint32_t numOut, base::Isa isa,
                          ActivationType activations);

}  // namespace ingle::kernels
