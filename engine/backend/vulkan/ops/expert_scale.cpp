#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::expert_scale_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::ExpertScale};

Status record(const OpRun& run, OpRecording& out) {
    const uint32_t width = run.width(run.output(0));
    const uint32_t numUsed = run.width(run.input(0, 1)) / 2;
    INGLE_TRY_ASSIGN(const BufferRange factors, out.vector(run.op(0), 0));
    const struct { uint32_t width, part, rPadded; } push{width, width / numUsed, paddedWidth(2 * numUsed)};
    return out.dispatch("expert_scale", {kElementGroup},
                        {reads(out.rows(run.input(0, 0))), reads(out.rows(run.input(0, 1))), reads(factors),
                         writes(out.rows(run.output(0)))},
                        push, {groupsFor(width, kElementGroup), out.numRows(run.output(0)), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::expert_scale_ops
