#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/elementwise.h"

namespace ingle::backend::cpu::add_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const float* a = context.rows(op.inputs[0]);
    const float* b = context.rows(op.inputs[1]);
    float* y = context.rows(op.outputs[0]);
    const size_t count = context.numRows(op.outputs[0]) * op.outputs[0].width;
    context.threads.parallelFor(count, kElementGrain, [&](size_t begin, size_t end, uint32_t) {
        kernels::addRef(a + begin, b + begin, y + begin, end - begin);
    });
}

}  // namespace

extern const CpuOp op{OpCode::Add, unprepared<run>};

}  // namespace ingle::backend::cpu::add_op
