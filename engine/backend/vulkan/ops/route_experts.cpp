#include "engine/backend/vulkan/vulkan_op.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::RouteExperts};

Status record(const OpRun& run, OpRecording& out) {
    const struct {
        uint32_t numExperts, numUsed;
    } push{run.width(run.output(0)), run.params<RouteParams>(0).numUsed};
    return out.dispatch("route_experts", {kElementGroup},
                        {reads(out.rows(run.input(0, 0))), updates(out.rows(run.output(0)))}, push,
                        {out.numRows(run.output(0)), 1, 1});
}

}  // namespace

extern const VulkanOp route_experts_op;
const VulkanOp route_experts_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
