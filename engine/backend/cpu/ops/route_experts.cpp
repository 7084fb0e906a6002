#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/experts.h"

namespace ingle::backend::cpu::route_experts_op {
namespace {

void run(const Op& op, const StepContext& context) {
    const auto& params = std::get<RouteParams>(op.params);
    const auto vector = [&](std::optional<uint32_t> index) {
        return index ? context.vector(op, *index) : nullptr;
    };
    const Operand x = op.inputs[0];
    const Operand routing = op.outputs[0];
    context.threads.parallelFor(context.numRows(x), 1, [&](size_t begin, size_t end, uint32_t thread) {
        for (size_t row = begin; row < end; ++row) {
            kernels::routeExpertsRef(params.rule, context.rows(x) + row * x.width, vector(params.choiceBias),
                                     vector(params.expertScale), x.width, context.threadFloats(thread),
                                     context.rows(routing) + row * routing.width);
        }
    });
}

Scratch scratch(const Op& op, const Plan&) {
    return {.sharedBytes = 0, .threadBytes = 3 * sizeof(float) * op.inputs[0].width};
}

}  // namespace

extern const CpuOp op{OpCode::RouteExperts, unprepared<run>, scratch};

}  // namespace ingle::backend::cpu::route_experts_op
