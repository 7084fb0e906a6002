/// The readable truth of matrix products; contract in kernel_table.h.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {

/// f32 activations, weights of any format: decodes a row, then multiplies. Exact but for f32 rounding.
void matmulRef(const MatmulArgs& args) noexcept;

}  // namespace ingle::kernels
