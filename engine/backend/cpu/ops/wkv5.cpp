#include "engine/kernels/ref/wkv5.h"

#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {
namespace {

void run(const Op& op, const StepContext& context) {
    const auto& params = std::get<WkvParams>(op.params);
    const size_t size = params.headSize;
    const size_t width = op.outputs[0].width;
    // One decay and bonus per key channel, or one per head.
    const size_t perHead = context.vectors[op.weights[0]].size() / params.numHeads;
    const size_t items = context.runs.size() * params.numHeads;
    context.threads.parallelFor(items, 1, [&](size_t begin, size_t end, uint32_t) {
        for (size_t item = begin; item < end; ++item) {
            const RunRows& rows = context.runs[item / params.numHeads];
            const size_t head = item % params.numHeads;
            float* state = rows.sequence->state(params.state).data() + head * size * size;
            for (size_t i = 0; i < rows.numRows; ++i) {
                const size_t at = (rows.firstRow + i) * width + head * size;
                kernels::wkv5Ref(context.rows(op.inputs[0]) + at, context.rows(op.inputs[1]) + at,
                                 context.rows(op.inputs[2]) + at, context.vector(op, 0) + head * perHead,
                                 context.vector(op, 1) + head * perHead, perHead == 1 ? 0 : 1, state,
                                 context.rows(op.outputs[0]) + at, size);
            }
        }
    });
}

}  // namespace

extern const CpuOp wkv5_op;
const CpuOp wkv5_op{OpCode::Wkv5, run, nullptr};

}  // namespace ingle::backend::cpu
