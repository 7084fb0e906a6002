#include "engine/backend/vulkan/elementwise.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::Add};

Status record(const OpRun& run, OpRecording& out) {
    return recordElementwise(run, ElementFunction::Add, out);
}

}  // namespace

extern const VulkanOp add_op;
const VulkanOp add_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
