#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/norm.h"

namespace ingle::backend::cpu::l2_norm_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const auto& params = std::get<NormParams>(op.params);
    const size_t width = op.inputs[0].width;
    const float* x = context.rows(op.inputs[0]);
    float* y = context.rows(op.outputs[0]);
    context.threads.parallelFor(context.numRows(op.outputs[0]), 1, [&](size_t begin, size_t end, uint32_t) {
        kernels::l2NormRef(x + begin * width, context.vector(op, 0), y + begin * width, end - begin, width,
                           params.groups, params.eps);
    });
}

}  // namespace

extern const CpuOp op{OpCode::L2Norm, unprepared<run>};

}  // namespace ingle::backend::cpu::l2_norm_op
