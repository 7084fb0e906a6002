#include "engine/kernels/ref/mamba_scan.h"

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {
namespace {

void run(const Op& op, const kernels::KernelFn& kernel, const StepContext& context) {
    const auto& params = std::get<MambaScanParams>(op.params);
    const size_t heads = params.numHeads;
    const auto recur = kernel.mambaScan;
    context.threads.parallelFor(context.runs.size() * heads, 1, [&](size_t begin, size_t end, uint32_t) {
        for (size_t item = begin; item < end; ++item) {
            const RunRows& rows = context.runs[item / heads];
            const size_t head = item % heads;
            const size_t group = head / (heads / params.groups);
            float* state =
                rows.sequence->state(params.state).data() + head * params.stateSize * params.headSize;
            for (size_t row = rows.firstRow; row < rows.firstRow + rows.numRows; ++row) {
                const size_t at = (row * heads + head) * params.headSize;
                const size_t groupAt = (row * params.groups + group) * params.stateSize;
                const kernels::DiscreteStep step =
                    kernels::discretise(context.rows(op.inputs[3])[row * heads + head],
                                        context.vector(op, 2)[head], context.vector(op, 0)[head]);
                recur({.x = context.rows(op.inputs[0]) + at,
                       .B = context.rows(op.inputs[1]) + groupAt,
                       .C = context.rows(op.inputs[2]) + groupAt,
                       .decay = step.decay,
                       .step = step.step,
                       .skip = context.vector(op, 1)[head]},
                      state, context.rows(op.outputs[0]) + at, params.stateSize, params.headSize);
            }
        }
    });
}

}  // namespace

extern const CpuOp mamba_scan_op;
const CpuOp mamba_scan_op{OpCode::MambaScan, withKernel<always<kernels::KernelOp::MambaScan>, run>};

}  // namespace ingle::backend::cpu
