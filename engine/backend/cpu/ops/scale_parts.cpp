#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/elementwise.h"

namespace ingle::backend::cpu::scale_parts_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const Operand x = op.inputs[0];
    const size_t part = x.width / op.inputs[1].width;
    const float* factors = context.rows(op.inputs[1]);
    const size_t numParts = context.numRows(x) * op.inputs[1].width;
    for (size_t i = 0; i < numParts; ++i)
        kernels::scaleRef(context.rows(x) + i * part, factors[i], context.rows(op.outputs[0]) + i * part,
                          part);
}

}  // namespace

extern const CpuOp op{OpCode::ScaleParts, unprepared<run>};

}  // namespace ingle::backend::cpu::scale_parts_op
