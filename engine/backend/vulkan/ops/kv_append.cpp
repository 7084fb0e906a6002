#include "engine/backend/vulkan/rope_cache.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::KvAppend};

Status record(const OpRun& run, OpRecording& out) {
    RopeCache work;
    work.append = {.keys = run.input(0, 0), .values = {}, .layer = run.params<CacheParams>(0).layer};
    if (run.inputs(0).size() > 1) work.append->values = run.input(0, 1);
    return recordRopeCache(run, work, out);
}

}  // namespace

extern const VulkanOp kv_append_op;
const VulkanOp kv_append_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
