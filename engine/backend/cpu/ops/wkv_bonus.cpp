#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/wkv7.h"

namespace ingle::backend::cpu::wkv_bonus_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const auto& params = std::get<WkvParams>(op.params);
    const size_t size = params.headSize;
    const size_t width = op.outputs[0].width;
    for (size_t row = 0; row < context.numRows(op.outputs[0]); ++row) {
        for (size_t head = 0; head < params.numHeads; ++head) {
            const size_t at = row * width + head * size;
            kernels::wkvBonusRef(context.rows(op.inputs[0]) + at, context.rows(op.inputs[1]) + at,
                                 context.rows(op.inputs[2]) + at, context.vector(op, 0) + head * size,
                                 context.rows(op.outputs[0]) + at, size);
        }
    }
}

}  // namespace

extern const CpuOp op{OpCode::WkvBonus, unprepared<run>};

}  // namespace ingle::backend::cpu::wkv_bonus_op
