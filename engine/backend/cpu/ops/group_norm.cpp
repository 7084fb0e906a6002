#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::group_norm_op {
namespace {

/// The op's bias; zeros where it has none.
const float* biasOf(const Op& op, const StepContext& context) {
    if (op.weights.size() > 1) return context.vector(op, 1);
    auto* zeros = reinterpret_cast<float*>(context.sharedScratch);
    std::fill_n(zeros, op.inputs[0].width, 0.0f);
    return zeros;
}

void run(const Op& op, const kernels::KernelFn& kernel, const StepContext& context) {
    const auto& params = std::get<NormParams>(op.params);
    const size_t width = op.inputs[0].width;
    const float* x = context.rows(op.inputs[0]);
    float* y = context.rows(op.outputs[0]);
    const auto normalise = kernel.groupNorm;
    const float* bias = biasOf(op, context);
    context.threads.parallelFor(context.numRows(op.outputs[0]), 1, [&](size_t begin, size_t end, uint32_t) {
        normalise(x + begin * width, context.vector(op, 0), bias, y + begin * width, end - begin, width,
                  params.groups, params.eps);
    });
}

Scratch scratch(const Op& op, const Plan&) {
    return {.sharedBytes = op.weights.size() > 1 ? 0 : op.inputs[0].width * sizeof(float), .threadBytes = 0};
}

}  // namespace

extern const CpuOp op{OpCode::GroupNorm, withKernel<always<kernels::KernelOp::GroupNorm>, run>, scratch};

}  // namespace ingle::backend::cpu::group_norm_op
