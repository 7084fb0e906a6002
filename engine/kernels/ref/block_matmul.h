/// The readable truth of matmuls with block-quantised weights and ActivationBlocks; contract in
/// kernel_table.h. Every fast kernel gives the same bits.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace ingle::kernels {

/// 32 weights as integers: value i = scales[i / 16] * q[i] + min.
struct WeightBlock {
    int32_t q[kActivationBlock];
    float scales[2];  ///< equal where a format has one scale for all 32
    float min;
};

/// One entry per format that has an integer matmul.
const KernelList& blockMatmulsRef();

}  // namespace ingle::kernels
