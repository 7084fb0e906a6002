#include "engine/backend/cpu/activation_function.h"
#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {
namespace {

void run(const Op& op, const StepContext& context) {
    const auto kind = std::get<ActivationParams>(op.params).kind;
    const kernels::MapFn function = kernels::selectKernel(activationKernel(kind), context.isa).map;
    const float* x = context.rows(op.inputs[0]);
    float* y = context.rows(op.outputs[0]);
    const size_t count = context.numRows(op.outputs[0]) * op.outputs[0].width;
    context.threads.parallelFor(count, kElementGrain, [&](size_t begin, size_t end, uint32_t) {
        function(x + begin, y + begin, end - begin);
    });
}

}  // namespace

extern const CpuOp activation_op;
const CpuOp activation_op{OpCode::Activation, run, nullptr};

}  // namespace ingle::backend::cpu
