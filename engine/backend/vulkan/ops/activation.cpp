#include "engine/backend/vulkan/elementwise.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::Activation};

Status record(const OpRun& run, OpRecording& out) {
    return recordElementwise(run, ElementFunction::Activate, out, run.params<ActivationParams>(0).kind);
}

}  // namespace

extern const VulkanOp activation_op;
const VulkanOp activation_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
