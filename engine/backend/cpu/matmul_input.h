/// The input of a matmul in the form its kernel wants.
#pragma once

#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {

/// Bytes of a row of `width` activations; never more than in floats.
inline size_t matmulInputBytes(kernels::ActivationForm form, size_t width) {
    return form == kernels::ActivationForm::Floats
               ? width * sizeof(float)
               : width / kernels::kActivationBlock * sizeof(kernels::ActivationBlock);
}

/// Writes a row of activations; `out` is aligned like a float.
inline void writeMatmulInput(kernels::ActivationForm form, std::span<const float> x, base::Isa isa,
                             std::byte* out) {
    if (form == kernels::ActivationForm::Floats) {
        std::ranges::copy(std::as_bytes(x), out);
        return;
    }
    const auto round = kernels::selectKernel(kernels::KernelOp::RoundActivations, isa).roundActivations;
    round(x.data(), x.size(), reinterpret_cast<kernels::ActivationBlock*>(out));
}

}  // namespace ingle::backend::cpu
