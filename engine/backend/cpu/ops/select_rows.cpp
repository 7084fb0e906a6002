#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"
#include "engine/base/check.h"

namespace ingle::backend::cpu::select_rows_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const size_t width = op.inputs[0].width;
    const float* x = context.rows(op.inputs[0]);
    float* y = context.rows(op.outputs[0]);
    for (const uint32_t row : context.logitRows) {
        INGLE_CHECK(row < context.tokens.size(), "logits of row {} in a step of {}", row,
                    context.tokens.size());
        std::copy_n(x + row * width, width, y);
        y += width;
    }
}

}  // namespace

extern const CpuOp op{OpCode::SelectRows, unprepared<run>};

}  // namespace ingle::backend::cpu::select_rows_op
