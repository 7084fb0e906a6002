#include <algorithm>
#include <cmath>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::clamped_glu_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const float limit = std::get<ClampedGluParams>(op.params).limit;
    const float* a = context.rows(op.inputs[0]);
    const float* b = context.rows(op.inputs[1]);
    float* y = context.rows(op.outputs[0]);
    const size_t count = context.numRows(op.outputs[0]) * op.outputs[0].width;
    context.threads.parallelFor(count, kElementGrain, [&](size_t begin, size_t end, uint32_t) {
        for (size_t i = begin; i < end; ++i) {
            const float g = std::min(a[i], limit);
            const float u = std::clamp(b[i], -limit, limit);
            y[i] = g / (1 + std::exp(-1.702f * g)) * (u + 1);
        }
    });
}

}  // namespace

extern const CpuOp op{OpCode::ClampedGlu, unprepared<run>};

}  // namespace ingle::backend::cpu::clamped_glu_op
