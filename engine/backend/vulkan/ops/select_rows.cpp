#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::select_rows_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::SelectRows};

Status record(const OpRun& run, OpRecording& out) {
    const struct { uint32_t rowVectors; } push{paddedWidth(run.width(run.output(0))) / 4};
    return out.dispatch(
        "select_rows", {kElementGroup},
        {reads(out.step()), reads(out.rows(run.input(0, 0))), writes(out.rows(run.output(0)))}, push,
        {groupsFor(push.rowVectors, kElementGroup), out.numRows(run.output(0)), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::select_rows_ops
