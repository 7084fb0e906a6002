#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/experts.h"

namespace ingle::backend::cpu::expert_sum_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const Operand x = op.inputs[0];
    const Operand routing = op.inputs[1];
    const Operand y = op.outputs[0];
    const size_t numUsed = routing.width / 2;
    context.threads.parallelFor(context.numRows(y), 1, [&](size_t begin, size_t end, uint32_t) {
        for (size_t row = begin; row < end; ++row) {
            const float* shares = context.rows(routing) + row * routing.width + numUsed;
            kernels::expertSumRef(context.rows(x) + row * x.width, shares, context.rows(y) + row * y.width,
                                  numUsed, y.width);
        }
    });
}

}  // namespace

extern const CpuOp op{OpCode::ExpertSum, unprepared<run>};

}  // namespace ingle::backend::cpu::expert_sum_op
