#include <cmath>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::position_scale_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const auto& [a, n, first] = std::get<PositionScaleParams>(op.params);
    const size_t width = op.inputs[0].width;
    for (const RunRows& rows : context.runs) {
        const float* x = context.rows(op.inputs[0]) + rows.firstRow * width;
        float* y = context.rows(op.outputs[0]) + rows.firstRow * width;
        for (uint32_t row = 0; row < rows.numRows; ++row) {
            const float steps = static_cast<float>((rows.firstPosition + row + first) / n);
            const float factor = 1 + a * std::log(steps + 1);
            for (size_t i = row * width; i < (row + 1) * width; ++i) y[i] = x[i] * factor;
        }
    }
}

}  // namespace

extern const CpuOp op{OpCode::PositionScale, unprepared<run>};

}  // namespace ingle::backend::cpu::position_scale_op
