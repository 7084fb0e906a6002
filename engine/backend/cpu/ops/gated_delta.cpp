#include "engine/kernels/ref/gated_delta.h"

#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/mamba_scan.h"

namespace ingle::backend::cpu {
namespace {

/// Of a thread: what is left of the state after each row, then what the kernel puts aside.
struct Layout {
    size_t decays, aside;  ///< floats

    Layout(const GatedDeltaParams& params, const Plan& plan)
        : decays((size_t{plan.maxTokens} + kLineFloats - 1) / kLineFloats * kLineFloats),
          aside(std::max<size_t>(params.keyDim * kernels::kColumnsAside, params.valueDim)) {}

  private:
    static constexpr size_t kLineFloats = base::Buffer::kAlignment / sizeof(float);
};

void run(const Op& op, const kernels::KernelFn& kernel, const StepContext& context) {
    const auto& params = std::get<GatedDeltaParams>(op.params);
    const size_t heads = params.numValueHeads;
    const size_t keyDim = params.keyDim;
    const size_t valueDim = params.valueDim;
    const Layout layout(params, context.plan);
    const auto recur = kernel.gatedDelta;
    context.threads.parallelFor(
        context.runs.size() * heads, 1, [&](size_t begin, size_t end, uint32_t thread) {
            float* decays = context.threadFloats(thread);
            for (size_t item = begin; item < end; ++item) {
                const RunRows& rows = context.runs[item / heads];
                const size_t head = item % heads;
                const size_t keyHead = params.pairing == HeadPairing::Tiled
                                           ? head % params.numKeyHeads
                                           : head / (heads / params.numKeyHeads);
                const float* steps = context.rows(op.inputs[3]) + rows.firstRow * heads + head;
                for (size_t row = 0; row < rows.numRows; ++row)
                    decays[row] = kernels::discretise(steps[row * heads], context.vector(op, 1)[head],
                                                      context.vector(op, 0)[head])
                                      .decay;
                const size_t keyAt = (rows.firstRow * params.numKeyHeads + keyHead) * keyDim;
                const size_t valueAt = (rows.firstRow * heads + head) * valueDim;
                recur({.q = context.rows(op.inputs[0]) + keyAt,
                       .k = context.rows(op.inputs[1]) + keyAt,
                       .keyStride = params.numKeyHeads * keyDim,
                       .v = context.rows(op.inputs[2]) + valueAt,
                       .y = context.rows(op.outputs[0]) + valueAt,
                       .valueStride = heads * valueDim,
                       .decays = decays,
                       .rates = context.rows(op.inputs[4]) + rows.firstRow * heads + head,
                       .rateStride = heads,
                       .numRows = rows.numRows},
                      rows.sequence->state(params.state).data() + head * keyDim * valueDim,
                      decays + layout.decays, keyDim, valueDim);
            }
        });
}

Scratch scratch(const Op& op, const Plan& plan) {
    const Layout layout(std::get<GatedDeltaParams>(op.params), plan);
    return {.sharedBytes = 0, .threadBytes = (layout.decays + layout.aside) * sizeof(float)};
}

}  // namespace

extern const CpuOp gated_delta_op;
const CpuOp gated_delta_op{OpCode::GatedDelta, withKernel<always<kernels::KernelOp::GatedDelta>, run>,
                           scratch};

}  // namespace ingle::backend::cpu
