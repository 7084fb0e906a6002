#include "engine/backend/vulkan/rope_cache.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::Rope};

Status record(const OpRun& run, OpRecording& out) {
    RopeCache work{.rope = &run.params<RopeParams>(0)};
    work.query = {run.input(0, 0), run.output(0)};
    return recordRopeCache(run, work, out);
}

}  // namespace

extern const VulkanOp rope_op;
const VulkanOp rope_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
