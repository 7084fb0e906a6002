#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {
namespace {

void run(const Op& op, const kernels::KernelFn& kernel, const StepContext& context) {
    const auto& params = std::get<NormParams>(op.params);
    const size_t width = op.inputs[0].width;
    const float* x = context.rows(op.inputs[0]);
    float* y = context.rows(op.outputs[0]);
    const auto normalise = kernel.rmsNorm;
    context.threads.parallelFor(context.numRows(op.outputs[0]), 1, [&](size_t begin, size_t end, uint32_t) {
        normalise(x + begin * width, context.vector(op, 0), y + begin * width, (end - begin) * params.groups,
                  width / params.groups, params.eps);
    });
}

}  // namespace

extern const CpuOp rms_norm_op;
const CpuOp rms_norm_op{OpCode::RmsNorm, withKernel<always<kernels::KernelOp::RmsNorm>, run>};

}  // namespace ingle::backend::cpu
