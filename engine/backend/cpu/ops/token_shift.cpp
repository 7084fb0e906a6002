#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::token_shift_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const uint32_t state = std::get<StateParams>(op.params).state;
    const size_t width = op.inputs[0].width;
    for (const RunRows& rows : context.runs) {
        const float* x = context.rows(op.inputs[0]) + rows.firstRow * width;
        float* y = context.rows(op.outputs[0]) + rows.firstRow * width;
        const std::span<float> previous = rows.sequence->state(state);
        std::copy_n(previous.data(), width, y);
        std::copy_n(x, (rows.numRows - 1) * width, y + width);
        std::copy_n(x + (rows.numRows - 1) * width, width, previous.data());
        if (rows.numGuesses > 0)
            std::copy_n(x + (rows.numRows - rows.numGuesses - 1) * width, width,
                        rows.sequence->keptState(state).data());
    }
}

}  // namespace

extern const CpuOp op{OpCode::TokenShift, unprepared<run>};

}  // namespace ingle::backend::cpu::token_shift_op
