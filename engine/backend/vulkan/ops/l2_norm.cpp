#include "engine/backend/vulkan/norm.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::L2Norm};

Status record(const OpRun& run, OpRecording& out) {
    return recordNorm(run, NormFunction::L2, out);
}

}  // namespace

extern const VulkanOp l2_norm_op;
const VulkanOp l2_norm_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
