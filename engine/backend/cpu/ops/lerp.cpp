#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/elementwise.h"

namespace ingle::backend::cpu::lerp_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const float* mix = op.weights.empty() ? nullptr : context.vector(op, 0);
    const float* shift = op.inputs.size() < 3 ? nullptr : context.rows(op.inputs[2]);
    kernels::lerpRef(context.rows(op.inputs[0]), context.rows(op.inputs[1]), mix, shift,
                     context.rows(op.outputs[0]), context.numRows(op.outputs[0]), op.outputs[0].width);
}

}  // namespace

extern const CpuOp op{OpCode::Lerp, unprepared<run>};

}  // namespace ingle::backend::cpu::lerp_op
