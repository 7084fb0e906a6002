#include "engine/kernels/ref/wkv4.h"

#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu::wkv4_op {
namespace {

/// Channels a thread takes at a time.
constexpr size_t kGrain = 64;

void run(const Op& op, const StepContext& context) {
    const uint32_t state = std::get<WkvParams>(op.params).state;
    const size_t width = op.outputs[0].width;
    context.threads.parallelFor(width, kGrain, [&](size_t begin, size_t end, uint32_t) {
        for (const RunRows& rows : context.runs) {
            const kernels::Wkv4State channels{rows.sequence->state(state).data() + begin,
                                              rows.sequence->state(state + 1).data() + begin,
                                              rows.sequence->state(state + 2).data() + begin};
            for (size_t i = 0; i < rows.numRows; ++i) {
                if (rows.firstRow + i == rows.firstGuess())
                    for (uint32_t k = state; k < state + 3; ++k)
                        std::copy_n(&rows.sequence->state(k)[begin], end - begin,
                                    &rows.sequence->keptState(k)[begin]);
                const size_t at = (rows.firstRow + i) * width + begin;
                kernels::wkv4Ref(context.rows(op.inputs[0]) + at, context.rows(op.inputs[1]) + at,
                                 context.vector(op, 0) + begin, context.vector(op, 1) + begin, channels,
                                 context.rows(op.outputs[0]) + at, end - begin);
            }
        }
    });
}

}  // namespace

extern const CpuOp op{OpCode::Wkv4, unprepared<run>};

}  // namespace ingle::backend::cpu::wkv4_op
