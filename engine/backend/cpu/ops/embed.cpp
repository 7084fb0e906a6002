#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::embed_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const tensor::Tensor& table = context.matrix(op, 0);
    const size_t width = op.outputs[0].width;
    float* y = context.rows(op.outputs[0]);
    for (size_t row = 0; row < context.tokens.size(); ++row) {
        const auto token = static_cast<uint64_t>(context.tokens[row]);
        table.decodeRow(token, {y + row * width, width});
    }
}

}  // namespace

extern const CpuOp op{OpCode::Embed, unprepared<run>, nullptr, SideData::Read};

}  // namespace ingle::backend::cpu::embed_op
