/// Products with matrices that have side data (engine/tensor/side_data.h). Where it is an order of columns
/// only, activations are put in that order, and the format's own kernel multiplies. Integers with scales for
/// rows, or groups of them, are multiplied as they lie; rows of all others are expanded to floats, some at a
/// time, and multiplied then.
#pragma once

#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"
#include "engine/quant/integers.h"
#include "engine/tensor/side_data.h"

namespace ingle::backend::cpu {

/// Rows that are expanded at a time.
inline constexpr uint32_t kExpandedRows = 16;

/// Bytes of scratch memory a thread needs for that; none where the matrix has no side data.
inline size_t expandedBytes(const tensor::Tensor& matrix) {
    const size_t rowBytes = matrix.side ? matrix.shape.rowElems() * sizeof(float) : 0;
    return tensor::hasScales(matrix) ? kExpandedRows * rowBytes : rowBytes;
}

/// The order in which activations are to be for the kernel of a row's matrix: where column i goes; empty: as
/// they are.
inline std::span<const uint32_t> inputOrder(const tensor::Tensor& matrix, uint64_t row) {
    if (tensor::hasScales(matrix)) return {};
    return tensor::columnsOf(matrix, row);
}

/// x in such an order.
inline void putInOrder(std::span<const float> x, std::span<const uint32_t> order, float* out) {
    for (size_t i = 0; i < x.size(); ++i) out[order[i]] = x[i];
}

/// Whether kernels can read the scales where they are.
inline bool areScalesBeside(const tensor::Tensor& matrix) {
    const tensor::SideData& side = *matrix.side;
    const bool wholeBlocks =
        matrix.shape.rowElems() % kernels::kActivationBlock == 0 &&
        (side.partColumns % kernels::kActivationBlock == 0 || side.partColumns >= matrix.shape.rowElems());
    const bool isSigned = matrix.format->id == quant::kInt8;
    return quant::findInteger(matrix.format->id) && wholeBlocks && side.partRows == 1 &&
           side.columns.empty() && (!isSigned || (side.offsets.empty() && side.zeros.empty()));
}

inline kernels::ScalesBeside scalesBeside(const tensor::Tensor& matrix, uint64_t firstRow) {
    const tensor::SideData& side = *matrix.side;
    const uint64_t perRow = side.partsPerRow(matrix.shape);
    const auto of = [&](const tensor::FloatList& list) {
        return list.empty() ? nullptr : list.data() + firstRow * perRow;
    };
    const uint64_t groupBlocks =
        (std::min(side.partColumns, matrix.shape.rowElems())) / kernels::kActivationBlock;
    return {.scales = of(side.scales),
            .offsets = of(side.offsets),
            .zeros = of(side.zeros),
            .rowStride = perRow,
            .groupBlocks = static_cast<uint32_t>(groupBlocks)};
}

/// The kernel for a matrix of `numOut` rows: that of its format, or of floats.
inline kernels::MatmulKernel matmulFor(const tensor::Tensor& matrix, uint32_t numOut,
                                       const Preparation& preparation) {
    const auto own = kernels::selectMatmul(*matrix.format, numOut, preparation.isa, preparation.activations);
    if (!tensor::hasScales(matrix)) return own;
    if (own.activation == kernels::ActivationForm::Blocks && areScalesBeside(matrix)) return own;
    return kernels::selectMatmul(*quant::findFormat(quant::kF32), 1, preparation.isa, ActivationType::F32);
}

/// Multiplies by rows [firstRow + args.outBegin, firstRow + args.outEnd). What `args` says of weights is
/// filled in here; scratch: expandedBytes().
inline void multiplyRows(const kernels::MatmulKernel& kernel, const tensor::Tensor& matrix, uint64_t firstRow,
                         kernels::MatmulArgs args, float* scratch) {
    args.format = matrix.format;
    args.weights = matrix.row(firstRow);
    args.weightRowBytes = matrix.rowStep();
    if (!tensor::hasScales(matrix)) return kernel.fn(args);
    if (kernel.activation == kernels::ActivationForm::Blocks) {
        args.beside = scalesBeside(matrix, firstRow);
        return kernel.fn(args);
    }
    const size_t width = matrix.shape.rowElems();
    args.format = quant::findFormat(quant::kF32);
    args.weights = reinterpret_cast<const std::byte*>(scratch);
    args.weightRowBytes = width * sizeof(float);
    const uint32_t end = args.outEnd;
    float* y = args.y;
    for (uint32_t out = args.outBegin; out < end; out += kExpandedRows) {
        const uint32_t count = std::min(kExpandedRows, end - out);
        for (uint32_t i = 0; i < count; ++i)
            matrix.decodeRow(firstRow + out + i, {scratch + i * width, width});
        args.y = y + out;
        args.numOut = args.outEnd = count;
        args.outBegin = 0;
        kernel.fn(args);
    }
}

}  // namespace ingle::backend::cpu
