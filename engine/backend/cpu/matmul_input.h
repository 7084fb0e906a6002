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

/// Writes rows of activations in one form.
class MatmulInput {
  public:
    MatmulInput(kernels::ActivationForm form, base::Isa isa)
        : m_form(form),
          m_round(kernels::selectKernel(kernels::KernelOp::RoundActivations, isa).roundActivations) {}

    /// `out` is aligned like a float.
    void write(std::span<const float> x, std::byte* out) const {
        if (m_form == kernels::ActivationForm::Floats)
            std::ranges::copy(std::as_bytes(x), out);
        else
            m_round(x.data(), x.size(), reinterpret_cast<kernels::ActivationBlock*>(out));
    }

  private:
    kernels::ActivationForm m_form;
    kernels::RoundActivationsFn m_round;
};

}  // namespace ingle::backend::cpu
