#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::concat_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const uint32_t groups = std::get<ConcatParams>(op.params).groups;
    const size_t aPart = op.inputs[0].width / groups;
    const size_t bPart = op.inputs[1].width / groups;
    const size_t numParts = context.numRows(op.outputs[0]) * groups;
    const float* a = context.rows(op.inputs[0]);
    const float* b = context.rows(op.inputs[1]);
    float* y = context.rows(op.outputs[0]);
    for (size_t i = 0; i < numParts; ++i) {
        y = std::copy_n(a + i * aPart, aPart, y);
        y = std::copy_n(b + i * bPart, bPart, y);
    }
}

}  // namespace

extern const CpuOp op{OpCode::Concat, unprepared<run>};

}  // namespace ingle::backend::cpu::concat_op
