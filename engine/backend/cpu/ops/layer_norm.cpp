#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::layer_norm_op {
namespace {

void run(const Op& op, const kernels::KernelFn& kernel, const StepContext& context) {
    const auto& params = std::get<NormParams>(op.params);
    const size_t width = op.inputs[0].width;
    const float* x = context.rows(op.inputs[0]);
    float* y = context.rows(op.outputs[0]);
    const auto normalise = kernel.groupNorm;
    context.threads.parallelFor(context.numRows(op.outputs[0]), 1, [&](size_t begin, size_t end, uint32_t) {
        normalise(x + begin * width, context.vector(op, 0), context.vector(op, 1), y + begin * width,
                  end - begin, width, 1, params.eps);
    });
}

}  // namespace

extern const CpuOp op{OpCode::LayerNorm, withKernel<always<kernels::KernelOp::GroupNorm>, run>};

}  // namespace ingle::backend::cpu::layer_norm_op
