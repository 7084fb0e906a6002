#include "engine/backend/vulkan/linear.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::Linear};

Status record(const OpRun& run, OpRecording& out) {
    return recordLinear(run, {}, out);
}

}  // namespace

extern const VulkanOp linear_op;
const VulkanOp linear_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
