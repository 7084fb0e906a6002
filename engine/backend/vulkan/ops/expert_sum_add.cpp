// y = h + the experts' sum.
#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::expert_sum_add_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::ExpertSum, OpCode::Add};

bool fits(const OpRun& run, const Plan&) {
    return run.usedOnce(run.output(0)) && run.reads(1, run.output(0));
}

Status record(const OpRun& run, OpRecording& out) {
    const uint32_t width = run.width(run.output(1));
    const struct { uint32_t width, numUsed; } push{width, run.width(run.input(0, 1)) / 2};
    return out.dispatch("expert_sum", {kElementGroup, true},
                        {reads(out.rows(run.input(0, 0))), reads(out.rows(run.input(0, 1))),
                         reads(out.rows(run.otherInput(1, run.output(0)))), writes(out.rows(run.output(1)))},
                        push, {groupsFor(width, kElementGroup), out.numRows(run.output(1)), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, fits, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::expert_sum_add_ops
