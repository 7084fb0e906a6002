#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::wkv7_op {
namespace {

void run(const Op& op, const kernels::KernelFn& kernel, const StepContext& context) {
    const auto& params = std::get<WkvParams>(op.params);
    const size_t size = params.headSize;
    const size_t width = op.outputs[0].width;
    const auto recur = kernel.wkv7;
    const size_t items = context.runs.size() * params.numHeads;
    context.threads.parallelFor(items, 1, [&](size_t begin, size_t end, uint32_t thread) {
        for (size_t item = begin; item < end; ++item) {
            const RunRows& rows = context.runs[item / params.numHeads];
            const size_t head = item % params.numHeads;
            float* state = rows.sequence->state(params.state).data() + head * size * size;
            for (size_t row = rows.firstRow; row < rows.firstRow + rows.numRows; ++row) {
                if (row == rows.firstGuess())
                    std::copy_n(state, size * size,
                                &rows.sequence->keptState(params.state)[head * size * size]);
                const size_t at = row * width + head * size;
                const auto input = [&](size_t index) { return context.rows(op.inputs[index]) + at; };
                recur({.r = input(0),
                       .w = input(1),
                       .k = input(2),
                       .v = input(3),
                       .kk = input(4),
                       .a = input(5)},
                      state, context.threadFloats(thread), context.rows(op.outputs[0]) + at, size);
            }
        }
    });
}

Scratch scratch(const Op& op, const Plan&) {
    return {.sharedBytes = 0, .threadBytes = std::get<WkvParams>(op.params).headSize * sizeof(float)};
}

}  // namespace

extern const CpuOp op{OpCode::Wkv7, withKernel<always<kernels::KernelOp::Wkv7>, run>, scratch};

}  // namespace ingle::backend::cpu::wkv7_op
