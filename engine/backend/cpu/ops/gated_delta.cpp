#include "engine/kernels/ref/gated_delta.h"

#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/mamba_scan.h"

namespace ingle::backend::cpu {
namespace {

void run(const Op& op, const kernels::KernelFn& kernel, const StepContext& context) {
    const auto& params = std::get<GatedDeltaParams>(op.params);
    const size_t heads = params.numValueHeads;
    const size_t keyDim = params.keyDim;
    const size_t valueDim = params.valueDim;
    const auto recur = kernel.gatedDelta;
    context.threads.parallelFor(
        context.runs.size() * heads, 1, [&](size_t begin, size_t end, uint32_t thread) {
            for (size_t item = begin; item < end; ++item) {
                const RunRows& rows = context.runs[item / heads];
                const size_t head = item % heads;
                const size_t keyHead = params.pairing == HeadPairing::Tiled
                                           ? head % params.numKeyHeads
                                           : head / (heads / params.numKeyHeads);
                float* state = rows.sequence->state(params.state).data() + head * keyDim * valueDim;
                for (size_t row = rows.firstRow; row < rows.firstRow + rows.numRows; ++row) {
                    const size_t keyAt = (row * params.numKeyHeads + keyHead) * keyDim;
                    const size_t valueAt = (row * heads + head) * valueDim;
                    const kernels::DiscreteStep step =
                        kernels::discretise(context.rows(op.inputs[3])[row * heads + head],
                                            context.vector(op, 1)[head], context.vector(op, 0)[head]);
                    recur({.q = context.rows(op.inputs[0]) + keyAt,
                           .k = context.rows(op.inputs[1]) + keyAt,
                           .v = context.rows(op.inputs[2]) + valueAt,
                           .decay = step.decay,
                           .rate = context.rows(op.inputs[4])[row * heads + head]},
                          state, context.threadFloats(thread), context.rows(op.outputs[0]) + valueAt, keyDim,
                          valueDim);
                }
            }
        });
}

Scratch scratch(const Op& op, const Plan&) {
    return {.sharedBytes = 0, .threadBytes = std::get<GatedDeltaParams>(op.params).valueDim * sizeof(float)};
}

}  // namespace

extern const CpuOp gated_delta_op;
const CpuOp gated_delta_op{OpCode::GatedDelta, withKernel<always<kernels::KernelOp::GatedDelta>, run>,
                           scratch};

}  // namespace ingle::backend::cpu
