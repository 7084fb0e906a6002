#include "engine/backend/vulkan/elementwise.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::Scale};

Status record(const OpRun& run, OpRecording& out) {
    return recordElementwise(run, ElementFunction::Scale, out, {}, run.params<ScaleParams>(0).factor);
}

}  // namespace

extern const VulkanOp scale_op;
const VulkanOp scale_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
