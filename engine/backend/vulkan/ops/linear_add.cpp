// y = h + (W x + b).
#include "engine/backend/vulkan/linear.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::Linear, OpCode::Add};

bool fits(const OpRun& run, const Plan&) {
    return run.outputs(0).size() == 1 && run.usedOnce(run.output(0)) && run.reads(1, run.output(0));
}

Status record(const OpRun& run, OpRecording& out) {
    const ValueId product = run.output(0);
    return recordLinear(run, {.residual = run.otherInput(1, product), .output = run.output(1)}, out);
}

}  // namespace

extern const VulkanOp linear_add_op;
const VulkanOp linear_add_op{kCodes, fits, record};

}  // namespace ingle::backend::vulkan
