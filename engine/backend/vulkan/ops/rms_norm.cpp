#include "engine/backend/vulkan/norm.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::RmsNorm};

Status record(const OpRun& run, OpRecording& out) {
    return recordNorm(run, NormFunction::Rms, out);
}

}  // namespace

extern const VulkanOp rms_norm_op;
const VulkanOp rms_norm_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
