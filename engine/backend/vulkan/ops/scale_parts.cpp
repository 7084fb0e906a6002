#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::scale_parts_ops {
namespace {

constexpr OpCode kScaleParts[] = {OpCode::ScaleParts};
constexpr OpCode kClamp[] = {OpCode::Clamp};

Status recordScaleParts(const OpRun& run, OpRecording& out) {
    const uint32_t width = run.width(run.output(0));
    const uint32_t numParts = run.width(run.input(0, 1));
    const struct { uint32_t width, part, fPadded; } push{width, width / numParts, paddedWidth(numParts)};
    return out.dispatch(
        "scale_parts", {kElementGroup},
        {reads(out.rows(run.input(0, 0))), reads(out.rows(run.input(0, 1))), writes(out.rows(run.output(0)))},
        push, {groupsFor(width, kElementGroup), out.numRows(run.output(0)), 1});
}

Status recordClamp(const OpRun& run, OpRecording& out) {
    const uint32_t width = run.width(run.output(0));
    const auto& [low, high] = run.params<ClampParams>(0);
    const struct {
        uint32_t width;
        float low, high;
    } push{width, low, high};
    return out.dispatch("clamp", {kElementGroup},
                        {reads(out.rows(run.input(0, 0))), writes(out.rows(run.output(0)))}, push,
                        {groupsFor(width, kElementGroup), out.numRows(run.output(0)), 1});
}

constexpr VulkanOp kOps[] = {{kScaleParts, nullptr, recordScaleParts}, {kClamp, nullptr, recordClamp}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::scale_parts_ops
