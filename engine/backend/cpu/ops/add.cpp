#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/elementwise.h"

namespace ingle::backend::cpu {
namespace {

void run(const Op& op, const StepContext& context) {
    kernels::addRef(context.rows(op.inputs[0]), context.rows(op.inputs[1]), context.rows(op.outputs[0]),
                    context.numRows(op.outputs[0]) * op.outputs[0].width);
}

}  // namespace

extern const CpuOp add_op;
const CpuOp add_op{OpCode::Add, run, nullptr};

}  // namespace ingle::backend::cpu
