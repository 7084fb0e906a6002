/// Activations to 8 bits.
#pragma once

#include <cstddef>

#include "engine/kernels/activation_block.h"

namespace ingle::kernels {

/// Rounds k floats, a multiple of 32, to blocks: scale = max|x| / 127, q = x * (127 / max|x|) to nearest,
/// ties to even. Blocks whose largest magnitude is below 2^-120 become zero; one that holds an infinity or a
/// NaN gets scale NaN, so that the damage shows in the product.
void roundActivationsRef(const float* x, size_t k, ActivationBlock* blocks) noexcept;

}  // namespace ingle::kernels
