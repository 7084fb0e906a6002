/// Which kernel computes what on this processor.
#pragma once

#include <span>
#include <vector>

#include "engine/kernels/kernel_table.h"
#include "engine/quant/format.h"
#include "ingle/types.h"

namespace ingle::kernels {

/// The lists of this architecture (generated from its folder; empty where it has none).
std::span<const KernelList* const> archKernels();

/// Every entry this build holds, the scalar ones included.
std::vector<KernelEntry> allKernels();

struct MatmulKernel {
    MatmulFn fn;
    quant::Quant activation;
};

/// The matmul for weights of `format` on a processor with `isa` (and what `isa` implies): the best entry
/// whose activation type `activations` admits, else the reference, which decodes any format and keeps
/// activations in f32.
MatmulKernel selectMatmul(const quant::QuantFormat& format, base::Isa isa, ActivationType activations);

}  // namespace ingle::kernels
