#include "engine/backend/vulkan/norm.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::GroupNorm};

Status record(const OpRun& run, OpRecording& out) {
    return recordNorm(run, NormFunction::Mean, out);
}

}  // namespace

extern const VulkanOp group_norm_op;
const VulkanOp group_norm_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
