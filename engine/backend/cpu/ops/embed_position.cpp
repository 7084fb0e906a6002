#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::embed_position_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const tensor::Tensor& table = context.matrix(op, 0);
    const size_t width = op.outputs[0].width;
    for (const RunRows& rows : context.runs) {
        float* y = context.rows(op.outputs[0]) + rows.firstRow * width;
        for (uint64_t i = 0; i < rows.numRows; ++i) {
            const uint64_t position = std::min(rows.firstPosition + i, table.shape.numRows() - 1);
            table.decodeRow(position, {y + i * width, width});
        }
    }
}

}  // namespace

extern const CpuOp op{OpCode::EmbedPosition, unprepared<run>, nullptr, SideData::Read};

}  // namespace ingle::backend::cpu::embed_position_op
