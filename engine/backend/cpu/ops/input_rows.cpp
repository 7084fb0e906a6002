#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::input_rows_op {
namespace {

void run(const Op& op, const StepContext& context) {
    std::ranges::copy(context.inputRows, context.rows(op.outputs[0]));
}

}  // namespace

extern const CpuOp op{OpCode::InputRows, unprepared<run>};

}  // namespace ingle::backend::cpu::input_rows_op
