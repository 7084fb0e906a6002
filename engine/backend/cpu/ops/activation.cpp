#include "engine/backend/cpu/activation_function.h"
#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::activation_op {
namespace {

kernels::KernelOp kernelOf(const Op& op) {
    return activationKernel(std::get<ActivationParams>(op.params).kind);
}

void run(const Op& op, const kernels::KernelFn& kernel, const StepContext& context) {
    const kernels::MapFn function = kernel.map;
    const float* x = context.rows(op.inputs[0]);
    float* y = context.rows(op.outputs[0]);
    const size_t count = context.numRows(op.outputs[0]) * op.outputs[0].width;
    context.threads.parallelFor(count, kElementGrain, [&](size_t begin, size_t end, uint32_t) {
        function(x + begin, y + begin, end - begin);
    });
}

}  // namespace

extern const CpuOp op{OpCode::Activation, withKernel<kernelOf, run>};

}  // namespace ingle::backend::cpu::activation_op
