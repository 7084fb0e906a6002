#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::elsewhere_op {
namespace {

void run(const Op& op, const StepContext& context) {
    std::vector<RowsView> inputs;
    for (const Operand& input : op.inputs) inputs.push_back({context.rows(input), input.width, input.width});
    const Operand& y = op.outputs[0];
    context.plan.elsewhere->run(std::get<ElsewhereParams>(op.params).part,
                                static_cast<uint32_t>(context.numRows(y)), inputs, context.rows(y), y.width);
}

}  // namespace

extern const CpuOp op{OpCode::Elsewhere, unprepared<run>};

}  // namespace ingle::backend::cpu::elsewhere_op
