#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::wkv5_op {
namespace {

/// Where a head's decays or bonuses lie: a token's row of an input, or a weight with one number per key
/// channel or per head.
struct Coefficients {
    const float* values;
    size_t rowStride;   ///< from token to token
    size_t headStride;  ///< from head to head
    size_t stride;      ///< from channel to channel: 1, or 0 for one number per head

    const float* at(size_t row, size_t head) const { return values + row * rowStride + head * headStride; }
};

Coefficients weightCoefficients(const Op& op, const StepContext& context, uint32_t index) {
    const std::span<const float> values = context.vectors[op.weights[index]];
    const size_t perHead = values.size() / std::get<WkvParams>(op.params).numHeads;
    return {values.data(), 0, perHead, perHead == 1 ? size_t{0} : size_t{1}};
}

Coefficients decays(const Op& op, const StepContext& context) {
    if (op.inputs.size() == 3) return weightCoefficients(op, context, 1);
    return {context.rows(op.inputs[3]), op.inputs[3].width, std::get<WkvParams>(op.params).headSize, 1};
}

void run(const Op& op, const kernels::KernelFn& kernel, const StepContext& context) {
    const auto& params = std::get<WkvParams>(op.params);
    const size_t size = params.headSize;
    const size_t width = op.outputs[0].width;
    const Coefficients u = weightCoefficients(op, context, 0);
    const Coefficients w = decays(op, context);
    const auto recur = kernel.wkv5;
    const size_t items = context.runs.size() * params.numHeads;
    context.threads.parallelFor(items, 1, [&](size_t begin, size_t end, uint32_t) {
        for (size_t item = begin; item < end; ++item) {
            const RunRows& rows = context.runs[item / params.numHeads];
            const size_t head = item % params.numHeads;
            float* state = rows.sequence->state(params.state).data() + head * size * size;
            for (size_t row = rows.firstRow; row < rows.firstRow + rows.numRows; ++row) {
                if (row == rows.firstGuess())
                    std::copy_n(state, size * size,
                                &rows.sequence->keptState(params.state)[head * size * size]);
                const size_t at = row * width + head * size;
                recur(context.rows(op.inputs[0]) + at, context.rows(op.inputs[1]) + at,
                      context.rows(op.inputs[2]) + at, w.at(row, head), w.stride, u.at(row, head), u.stride,
                      state, context.rows(op.outputs[0]) + at, size);
            }
        }
    });
}

}  // namespace

extern const CpuOp op{OpCode::Wkv5, withKernel<always<kernels::KernelOp::Wkv5>, run>};

}  // namespace ingle::backend::cpu::wkv5_op
