#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::concat_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::Concat};

Status record(const OpRun& run, OpRecording& out) {
    const uint32_t groups = run.params<ConcatParams>(0).groups;
    const uint32_t aWidth = run.width(run.input(0, 0));
    const uint32_t bWidth = run.width(run.input(0, 1));
    const struct { uint32_t aPart, bPart, groups; } push{aWidth / groups, bWidth / groups, groups};
    return out.dispatch(
        "concat", {kElementGroup},
        {reads(out.rows(run.input(0, 0))), reads(out.rows(run.input(0, 1))), writes(out.rows(run.output(0)))},
        push, {groupsFor(aWidth + bWidth, kElementGroup), out.numRows(run.output(0)), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::concat_ops
