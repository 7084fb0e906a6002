#include "engine/backend/cpu/cpu_op.h"
#include "engine/base/check.h"

namespace ingle::backend::cpu::expert_scale_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const Operand x = op.inputs[0];
    const Operand routing = op.inputs[1];
    const size_t numUsed = routing.width / 2;
    const size_t part = x.width / numUsed;
    const std::span<const float> factors = context.vectors[op.weights[0]];
    const size_t numParts = context.numRows(x) * numUsed;
    context.threads.parallelFor(numParts, 1, [&](size_t begin, size_t end, uint32_t) {
        for (size_t i = begin; i < end; ++i) {
            const float* ids = context.rows(routing) + i / numUsed * routing.width;
            const auto expert = static_cast<size_t>(ids[i % numUsed]);
            INGLE_CHECK(expert < factors.size(), "expert {} of {}", expert, factors.size());
            const float factor = factors[expert];
            for (size_t at = i * part; at < (i + 1) * part; ++at)
                context.rows(op.outputs[0])[at] = context.rows(x)[at] * factor;
        }
    });
}

}  // namespace

extern const CpuOp op{OpCode::ExpertScale, unprepared<run>};

}  // namespace ingle::backend::cpu::expert_scale_op
