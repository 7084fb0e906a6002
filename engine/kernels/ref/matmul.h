/// The readable truth of matrix products; contract in kernel_table.h.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {

/// f32 activations, weights of any format: decodes a row, then multiplies. Exact but for f32 rounding.
void matmulRef(const MatmulArgs& args) noexcept;

/// Q8_0 weights with Q8_0 activations: exact integer dots of 32, scaled and added in f32 in block order.
void matmulQ8Ref(const MatmulArgs& args) noexcept;

}  // namespace ingle::kernels
