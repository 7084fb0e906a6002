#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::picture_rows_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::PictureRows};

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<PictureRowsParams>(0);
    const uint32_t width = run.width(run.output(0));
    const struct { uint32_t width, givenWidth, first; } push{width, params.width, params.first};
    return out.dispatch("picture_rows", {kElementGroup, params.areAdded},
                        {reads(out.rows(run.input(0, 0))), reads(out.pictures()), reads(out.pictureRows()),
                         writes(out.rows(run.output(0)))},
                        push, {groupsFor(width, kElementGroup), out.numTokens(), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::picture_rows_ops
