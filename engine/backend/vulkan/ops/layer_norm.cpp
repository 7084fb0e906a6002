#include "engine/backend/vulkan/norm.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::LayerNorm};

Status record(const OpRun& run, OpRecording& out) {
    return recordNorm(run, NormFunction::Mean, out);
}

}  // namespace

extern const VulkanOp layer_norm_op;
const VulkanOp layer_norm_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
