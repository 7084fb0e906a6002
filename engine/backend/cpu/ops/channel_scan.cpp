#include "engine/kernels/ref/channel_scan.h"

#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::channel_scan_op {
namespace {

/// Channels of one task.
constexpr size_t kGrain = 64;

void run(const Op& op, const StepContext& context) {
    const auto& params = std::get<ChannelScanParams>(op.params);
    const size_t width = op.outputs[0].width;
    const size_t stateSize = params.stateSize;
    context.threads.parallelFor(width, kGrain, [&](size_t begin, size_t end, uint32_t) {
        for (const RunRows& rows : context.runs) {
            float* state = rows.sequence->state(params.state).data();
            for (size_t row = rows.firstRow; row < rows.firstRow + rows.numRows; ++row) {
                if (row == rows.firstGuess())
                    std::copy_n(state + begin * stateSize, (end - begin) * stateSize,
                                &rows.sequence->keptState(params.state)[begin * stateSize]);
                const auto input = [&](size_t index, size_t wide) {
                    return context.rows(op.inputs[index]) + row * wide;
                };
                const kernels::ChannelScanToken token{.x = input(0, width),
                                                      .b = input(1, stateSize),
                                                      .c = input(2, stateSize),
                                                      .rawStep = input(3, width),
                                                      .decay = context.vector(op, 0),
                                                      .skip = context.vector(op, 1),
                                                      .stepBias = context.vector(op, 2)};
                kernels::channelScanRef(token, state, context.rows(op.outputs[0]) + row * width, begin, end,
                                        stateSize);
            }
        }
    });
}

}  // namespace

extern const CpuOp op{OpCode::ChannelScan, unprepared<run>};

}  // namespace ingle::backend::cpu::channel_scan_op
