#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::clamp_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const auto& [low, high] = std::get<ClampParams>(op.params);
    const float* x = context.rows(op.inputs[0]);
    float* y = context.rows(op.outputs[0]);
    const size_t count = context.numRows(op.outputs[0]) * op.outputs[0].width;
    for (size_t i = 0; i < count; ++i) y[i] = std::clamp(x[i], low, high);
}

}  // namespace

extern const CpuOp op{OpCode::Clamp, unprepared<run>};

}  // namespace ingle::backend::cpu::clamp_op
