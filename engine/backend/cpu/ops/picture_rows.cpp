#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::picture_rows_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const auto& params = std::get<PictureRowsParams>(op.params);
    const size_t width = op.outputs[0].width;
    const float* given = context.inputRows.data() + params.first;
    for (const RunRows& rows : context.runs) {
        const float* x = context.rows(op.inputs[0]) + rows.firstRow * width;
        float* y = context.rows(op.outputs[0]) + rows.firstRow * width;
        if (!rows.isPicture) {
            std::copy_n(x, rows.numRows * width, y);
            continue;
        }
        for (uint32_t row = 0; row < rows.numRows; ++row, x += width, y += width, given += params.width)
            for (size_t i = 0; i < width; ++i) y[i] = params.areAdded ? x[i] + given[i] : given[i];
    }
}

}  // namespace

extern const CpuOp op{OpCode::PictureRows, unprepared<run>};

}  // namespace ingle::backend::cpu::picture_rows_op
