/// The kernel an ActivationKind names.
#pragma once

#include "engine/backend/op.h"
#include "engine/kernels/kernel_table.h"

namespace ingle::backend::cpu {

constexpr kernels::KernelOp activationKernel(ActivationKind kind) {
    switch (kind) {
        case ActivationKind::Silu:
            return kernels::KernelOp::Silu;
        case ActivationKind::Sigmoid:
            return kernels::KernelOp::Sigmoid;
        case ActivationKind::SquaredRelu:
            return kernels::KernelOp::SquaredRelu;
        case ActivationKind::Tanh:
            return kernels::KernelOp::Tanh;
        case ActivationKind::Decay:
            return kernels::KernelOp::Decay;
        case ActivationKind::BoundedDecay:
            return kernels::KernelOp::BoundedDecay;
    }
    return kernels::KernelOp::Silu;
}

}  // namespace ingle::backend::cpu
