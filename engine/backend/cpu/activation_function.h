/// The kernel an ActivationKind names.
#pragma once

#include "engine/backend/op.h"
#include "engine/kernels/kernel_table.h"

namespace ingle::backend::cpu {

constexpr kernels::KernelOp activationKernel(ActivationKind kind) {
    switch (kind) {
#define INGLE_ACTIVATION(number, Kind, function) \
    case ActivationKind::Kind:                   \
        return kernels::KernelOp::Kind;
#include "engine/kernels/activation_kinds.inc"
#undef INGLE_ACTIVATION
    }
    return kernels::KernelOp::Silu;
}

}  // namespace ingle::backend::cpu
