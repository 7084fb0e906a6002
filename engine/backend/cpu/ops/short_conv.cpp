#include "engine/kernels/ref/short_conv.h"

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {
namespace {

/// Channels a thread takes at a time, through all rows of a step.
constexpr size_t kGrain = 512;

void run(const Op& op, const StepContext& context) {
    const auto& params = std::get<ShortConvParams>(op.params);
    const size_t width = op.inputs[0].width;
    const kernels::ShortConv conv{.weights = context.vector(op, 0),
                                  .bias = op.weights.size() > 1 ? context.vector(op, 1) : nullptr,
                                  .width = width,
                                  .kernel = params.kernel};
    const float* x = context.rows(op.inputs[0]);
    float* y = context.rows(op.outputs[0]);
    context.threads.parallelFor(width, kGrain, [&](size_t begin, size_t end, uint32_t) {
        for (const RunRows& rows : context.runs) {
            const size_t first = rows.firstRow * width;
            kernels::shortConvRef(conv, x + first, rows.sequence->state(params.state).data(), y + first,
                                  rows.numRows, begin, end);
        }
    });
}

}  // namespace

extern const CpuOp short_conv_op;
const CpuOp short_conv_op{OpCode::ShortConv, unprepared<run>};

}  // namespace ingle::backend::cpu
