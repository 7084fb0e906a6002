#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/elementwise.h"

namespace ingle::backend::cpu::scale_op {
namespace {

void run(const Op& op, const StepContext& context) {
    kernels::scaleRef(context.rows(op.inputs[0]), std::get<ScaleParams>(op.params).factor,
                      context.rows(op.outputs[0]), context.numRows(op.outputs[0]) * op.outputs[0].width);
}

}  // namespace

extern const CpuOp op{OpCode::Scale, unprepared<run>};

}  // namespace ingle::backend::cpu::scale_op
