#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::clamped_glu_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::ClampedGlu};

Status record(const OpRun& run, OpRecording& out) {
    const uint32_t width = run.width(run.output(0));
    const struct {
        uint32_t width;
        float limit;
    } push{width, run.params<ClampedGluParams>(0).limit};
    return out.dispatch(
        "clamped_glu", {kElementGroup},
        {reads(out.rows(run.input(0, 0))), reads(out.rows(run.input(0, 1))), writes(out.rows(run.output(0)))},
        push, {groupsFor(width, kElementGroup), out.numRows(run.output(0)), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::clamped_glu_ops
