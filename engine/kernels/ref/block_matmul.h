/// The readable truth of matmuls with block-quantised weights and ActivationBlocks; contract in
/// kernel_table.h. Every fast kernel gives the same bits.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {

/// 32 weights as integers: value i = scales[h] * q[i] + mins[h], where h is i / 16, or 0 if a format has one
/// scale for all 32.
struct WeightBlock {
    int32_t q[kActivationBlock];
    float scales[2];
    float mins[2];
};

/// One entry per format that has an integer matmul.
const KernelList& blockMatmulsRef();

}  // namespace ingle::kernels
