#include "engine/backend/vulkan/elementwise.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::GatedActivation};

Status record(const OpRun& run, OpRecording& out) {
    return recordElementwise(run, ElementFunction::Gate, out, run.params<ActivationParams>(0).kind);
}

}  // namespace

extern const VulkanOp gated_activation_op;
const VulkanOp gated_activation_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
