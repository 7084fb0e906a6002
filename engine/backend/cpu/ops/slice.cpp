#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::slice_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const auto& [groups, first, count] = std::get<SliceParams>(op.params);
    const size_t part = op.inputs[0].width / groups;
    const size_t numParts = context.numRows(op.outputs[0]) * groups;
    const float* x = context.rows(op.inputs[0]) + first;
    float* y = context.rows(op.outputs[0]);
    for (size_t i = 0; i < numParts; ++i) std::copy_n(x + i * part, count, y + i * count);
}

}  // namespace

extern const CpuOp op{OpCode::Slice, unprepared<run>};

}  // namespace ingle::backend::cpu::slice_op
