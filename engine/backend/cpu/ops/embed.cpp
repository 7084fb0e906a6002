#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {
namespace {

void run(const Op& op, const StepContext& context) {
    const tensor::Tensor& table = context.matrix(op, 0);
    const size_t width = op.outputs[0].width;
    const size_t rowBytes = table.data.size() / table.shape.numRows();
    float* y = context.rows(op.outputs[0]);
    for (size_t row = 0; row < context.tokens.size(); ++row) {
        const std::byte* source = table.data.data() + static_cast<size_t>(context.tokens[row]) * rowBytes;
        table.format->decodeRow(source, {y + row * width, width});
    }
}

}  // namespace

extern const CpuOp embed_op;
const CpuOp embed_op{OpCode::Embed, run, nullptr};

}  // namespace ingle::backend::cpu
