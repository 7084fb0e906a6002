#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::lerp_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::Lerp};

Status record(const OpRun& run, OpRecording& out) {
    const Op& op = run.op(0);
    const bool hasMix = !op.weights.empty();
    const bool hasShift = op.inputs.size() > 2;
    BufferRange mix = out.unused();
    if (hasMix) {
        INGLE_TRY_ASSIGN(mix, out.vector(op, 0));
    }
    const uint32_t rowVectors = paddedWidth(run.width(run.output(0))) / 4;
    const struct { uint32_t count, rowVectors; } push{out.numRows(run.output(0)) * rowVectors, rowVectors};
    const BufferRange& shift = hasShift ? out.rows(run.input(0, 2)) : out.unused();
    return out.dispatch("lerp", {kElementGroup, hasMix, hasShift},
                        {reads(out.rows(run.input(0, 0))), reads(out.rows(run.input(0, 1))), reads(mix),
                         reads(shift), writes(out.rows(run.output(0)))},
                        push, {groupsFor(push.count, kElementGroup), 1, 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::lerp_ops
