#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/channel_scan.h"

namespace ingle::backend::cpu::channel_delta_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const auto& [stateIndex, heads, keyDim, valueDim, lowest] = std::get<ChannelDeltaParams>(op.params);
    const size_t matrix = size_t{keyDim} * valueDim;
    context.threads.parallelFor(
        context.runs.size() * heads, 1, [&](size_t begin, size_t end, uint32_t thread) {
            for (size_t item = begin; item < end; ++item) {
                const RunRows& rows = context.runs[item / heads];
                const size_t head = item % heads;
                float* state = rows.sequence->state(stateIndex).data() + head * matrix;
                for (size_t row = rows.firstRow; row < rows.firstRow + rows.numRows; ++row) {
                    if (row == rows.firstGuess())
                        std::copy_n(state, matrix, &rows.sequence->keptState(stateIndex)[head * matrix]);
                    const auto input = [&](size_t index, size_t each) {
                        return context.rows(op.inputs[index]) + (row * heads + head) * each;
                    };
                    const kernels::ChannelDeltaToken token{.q = input(0, keyDim),
                                                           .k = input(1, keyDim),
                                                           .v = input(2, valueDim),
                                                           .rawStep = input(3, keyDim),
                                                           .stepBias = context.vector(op, 1) + head * keyDim,
                                                           .decay = context.vector(op, 0)[head],
                                                           .rate = *input(4, 1),
                                                           .lowest = lowest};
                    kernels::channelDeltaRef(token, state, context.threadFloats(thread),
                                             context.rows(op.outputs[0]) + (row * heads + head) * valueDim,
                                             keyDim, valueDim);
                }
            }
        });
}

Scratch scratch(const Op& op, const Plan&) {
    return {.sharedBytes = 0,
            .threadBytes = std::get<ChannelDeltaParams>(op.params).valueDim * sizeof(float)};
}

}  // namespace

extern const CpuOp op{OpCode::ChannelDelta, unprepared<run>, scratch};

}  // namespace ingle::backend::cpu::channel_delta_op
