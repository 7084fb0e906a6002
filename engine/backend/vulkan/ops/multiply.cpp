#include "engine/backend/vulkan/elementwise.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::Multiply};

Status record(const OpRun& run, OpRecording& out) {
    return recordElementwise(run, ElementFunction::Multiply, out);
}

}  // namespace

extern const VulkanOp multiply_op;
const VulkanOp multiply_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
