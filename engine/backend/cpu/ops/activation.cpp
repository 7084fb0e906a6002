#include "engine/backend/cpu/activation_function.h"
#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {
namespace {

void run(const Op& op, const StepContext& context) {
    const auto function = activationFunction(std::get<ActivationParams>(op.params).kind);
    const float* x = context.rows(op.inputs[0]);
    float* y = context.rows(op.outputs[0]);
    const size_t count = context.numRows(op.outputs[0]) * op.outputs[0].width;
    for (size_t i = 0; i < count; ++i) y[i] = function(x[i]);
}

}  // namespace

extern const CpuOp activation_op;
const CpuOp activation_op{OpCode::Activation, run, nullptr};

}  // namespace ingle::backend::cpu
