#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::slice_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::Slice};

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<SliceParams>(0);
    const uint32_t width = run.width(run.output(0));
    const uint32_t xWidth = run.width(run.input(0, 0));
    const struct {
        uint32_t width, count, part, first, xPadded;
    } push{width, params.count, xWidth / params.groups, params.first, paddedWidth(xWidth)};
    return out.dispatch("slice", {kElementGroup},
                        {reads(out.rows(run.input(0, 0))), writes(out.rows(run.output(0)))}, push,
                        {groupsFor(width, kElementGroup), out.numRows(run.output(0)), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::slice_ops
