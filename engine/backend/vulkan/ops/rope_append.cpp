// Queries are rotated, keys too and kept with the values.
#include "engine/backend/vulkan/rope_cache.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::Rope, OpCode::Rope, OpCode::KvAppend};

bool fits(const OpRun& run, const Plan&) {
    return run.inputs(2).size() == 2 && run.usedOnce(run.output(1)) && run.input(2, 0) == run.output(1) &&
           sameRotation(run.params<RopeParams>(0), run.params<RopeParams>(1));
}

Status record(const OpRun& run, OpRecording& out) {
    RopeCache work{.rope = &run.params<RopeParams>(0), .rotateKeys = true};
    work.query = {run.input(0, 0), run.output(0)};
    work.append = {run.input(1, 0), run.input(2, 1), run.params<CacheParams>(2).layer};
    return recordRopeCache(run, work, out);
}

}  // namespace

extern const VulkanOp rope_append_op;
const VulkanOp rope_append_op{kCodes, fits, record};

}  // namespace ingle::backend::vulkan
