#include "engine/kernels/ref/rope.h"

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {
namespace {

void run(const Op& op, const StepContext& context) {
    const auto& params = std::get<RopeParams>(op.params);
    const auto rotate =
        params.style == RopeStyle::Interleaved ? kernels::ropeInterleavedRef : kernels::ropeHalfSplitRef;
    const size_t width = op.inputs[0].width;
    const float* x = context.rows(op.inputs[0]);
    float* y = context.rows(op.outputs[0]);
    for (const RunRows& rows : context.runs) {
        context.threads.parallelFor(rows.numRows, 1, [&](size_t begin, size_t end, uint32_t thread) {
            const std::span<float> angles(context.threadFloats(thread), 2 * params.frequencies.size());
            for (size_t i = begin; i < end; ++i) {
                kernels::ropeAnglesRef(rows.firstPosition + static_cast<uint32_t>(i), params.frequencies,
                                       params.magnitude, angles);
                for (size_t head = 0; head < params.numHeads; ++head) {
                    const size_t at = (rows.firstRow + i) * width + head * params.headDim;
                    rotate(x + at, angles, y + at, params.headDim);
                }
            }
        });
    }
}

Scratch scratch(const Op& op, const Plan&) {
    return {.sharedBytes = 0,
            .threadBytes = 2 * std::get<RopeParams>(op.params).frequencies.size() * sizeof(float)};
}

}  // namespace

extern const CpuOp rope_op;
const CpuOp rope_op{OpCode::Rope, run, scratch};

}  // namespace ingle::backend::cpu
