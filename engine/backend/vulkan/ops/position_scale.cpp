#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::position_scale_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::PositionScale};

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<PositionScaleParams>(0);
    const uint32_t width = run.width(run.output(0));
    const struct {
        uint32_t width;
        float a;
        uint32_t n;
        uint32_t first;
    } push{width, params.a, params.n, params.first};
    return out.dispatch(
        "position_scale", {kElementGroup},
        {reads(out.step()), reads(out.rows(run.input(0, 0))), writes(out.rows(run.output(0)))}, push,
        {groupsFor(width, kElementGroup), out.numTokens(), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::position_scale_ops
