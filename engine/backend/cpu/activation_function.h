/// The scalar function an ActivationKind names.
#pragma once

#include "engine/backend/op.h"
#include "engine/kernels/ref/elementwise.h"

namespace ingle::backend::cpu {

inline float (*activationFunction(ActivationKind kind))(float) {
    switch (kind) {
        case ActivationKind::Silu:
            return kernels::siluRef;
        case ActivationKind::Sigmoid:
            return kernels::sigmoidRef;
        case ActivationKind::SquaredRelu:
            return kernels::squaredReluRef;
        case ActivationKind::Tanh:
            return kernels::tanhRef;
        case ActivationKind::Decay:
            return kernels::decayRef;
        case ActivationKind::BoundedDecay:
            return kernels::boundedDecayRef;
    }
    return kernels::siluRef;
}

}  // namespace ingle::backend::cpu
