#include "engine/kernels/ref/short_conv.h"

#include <algorithm>

#include "engine/backend/chunk_state.h"
#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::short_conv_op {
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
    const size_t numParts = (width + kGrain - 1) / kGrain;
    context.threads.parallelFor(numParts, 1, [&](size_t begin, size_t end, uint32_t thread) {
        for (size_t part = begin; part < end; ++part) {
            const size_t channel = part * kGrain;
            for (const RunRows& rows : context.runs) {
                const size_t first = rows.firstRow * width;
                const kernels::ShortConvRing ring{rows.sequence->state(params.state).data(),
                                                  ringRows(params)};
                kernels::shortConvRef(conv, x + first, ring, rows.firstPosition, y + first, rows.numRows,
                                      channel, std::min(width, channel + kGrain),
                                      context.threadFloats(thread));
            }
        }
    });
}

Scratch scratch(const Op& op, const Plan&) {
    return {.sharedBytes = 0,
            .threadBytes = std::get<ShortConvParams>(op.params).kernel * kGrain * sizeof(float)};
}

}  // namespace

extern const CpuOp op{OpCode::ShortConv, unprepared<run>, scratch};

}  // namespace ingle::backend::cpu::short_conv_op
