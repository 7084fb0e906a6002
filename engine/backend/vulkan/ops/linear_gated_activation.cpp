// y = f(W_0 x) * W_1 x.
#include "engine/backend/vulkan/linear.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::Linear, OpCode::GatedActivation};

bool fits(const OpRun& run, const Plan& plan) {
    return canGate(run.op(0), plan) && run.usedOnce(run.output(0, 0)) && run.usedOnce(run.output(0, 1)) &&
           run.input(1, 0) == run.output(0, 0) && run.input(1, 1) == run.output(0, 1);
}

Status record(const OpRun& run, OpRecording& out) {
    return recordLinear(run, {.activation = run.params<ActivationParams>(1).kind, .gated = run.output(1)},
                        out);
}

}  // namespace

extern const VulkanOp linear_gated_activation_op;
const VulkanOp linear_gated_activation_op{kCodes, fits, record};

}  // namespace ingle::backend::vulkan
