#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::expert_sum_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::ExpertSum};

Status record(const OpRun& run, OpRecording& out) {
    const uint32_t width = run.width(run.output(0));
    const struct { uint32_t width, numUsed; } push{width, run.width(run.input(0, 1)) / 2};
    return out.dispatch("expert_sum", {kElementGroup, false},
                        {reads(out.rows(run.input(0, 0))), reads(out.rows(run.input(0, 1))),
                         reads(out.unused()), writes(out.rows(run.output(0)))},
                        push, {groupsFor(width, kElementGroup), out.numRows(run.output(0)), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::expert_sum_ops
