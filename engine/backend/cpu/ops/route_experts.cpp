#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/experts.h"

namespace ingle::backend::cpu {
namespace {

void run(const Op& op, const StepContext& context) {
    const size_t numExperts = op.inputs[0].width;
    for (size_t row = 0; row < context.numRows(op.outputs[0]); ++row) {
        kernels::routeExpertsRef(context.rows(op.inputs[0]) + row * numExperts,
                                 context.rows(op.outputs[0]) + row * numExperts, numExperts,
                                 std::get<RouteParams>(op.params).numUsed);
    }
}

}  // namespace

extern const CpuOp route_experts_op;
const CpuOp route_experts_op{OpCode::RouteExperts, unprepared<run>};

}  // namespace ingle::backend::cpu
