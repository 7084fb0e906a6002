/// Fast kernels and how they are listed. One file per kernel: engine/kernels/<arch>/<op>_<isa>.cpp defines
/// `extern const KernelList <file>_kernels`. Plain data only: files compiled for one ISA include this and
/// nothing else, so that no inline function compiled for AVX can be the copy the linker keeps for every
/// processor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/isa.h"
#include "engine/quant/quant.h"

namespace ingle::quant {
struct QuantFormat;
}

namespace ingle::kernels {

/// y[r][o] = sum over i of x[r][i] * w[o][i], for r in [0, numRows), o in [outBegin, outEnd).
/// x: [numRows, k] in the kernel's activation type (f32, or rows of blocks); w: [numOut, k] in its block
/// format; y: [numRows, yStride] f32. The order of additions into one y depends on k only, never on numRows
/// or the range.
struct MatmulArgs {
    const quant::QuantFormat* format;  ///< of the weights
    const std::byte* weights;
    size_t weightRowBytes;
    const std::byte* x;
    size_t xRowBytes;
    float* y;
    size_t yStride;  ///< in floats
    uint32_t numRows;
    uint32_t k;
    uint32_t outBegin;
    uint32_t outEnd;
};
using MatmulFn = void (*)(const MatmulArgs& args) noexcept;

enum class KernelOp : uint8_t { Matmul };

/// One member per KernelOp.
union KernelFn {
    MatmulFn matmul;
};

struct KernelEntry {
    KernelOp op;
    quant::Quant weight;
    quant::Quant activation;  ///< the type x must be converted to
    base::Isa isa;
    KernelFn fn;
};

struct KernelList {
    const KernelEntry* entries;
    size_t count;
};

}  // namespace ingle::kernels
