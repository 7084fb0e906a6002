// y = f(W x + b).
#include "engine/backend/vulkan/linear.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::Linear, OpCode::Activation};

bool fits(const OpRun& run, const Plan&) {
    return run.outputs(0).size() == 1 && run.usedOnce(run.output(0)) && run.reads(1, run.output(0));
}

Status record(const OpRun& run, OpRecording& out) {
    return recordLinear(run, {.activation = run.params<ActivationParams>(1).kind, .output = run.output(1)},
                        out);
}

}  // namespace

extern const VulkanOp linear_activation_op;
const VulkanOp linear_activation_op{kCodes, fits, record};

}  // namespace ingle::backend::vulkan
