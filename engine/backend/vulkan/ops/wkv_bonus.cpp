#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::wkv_bonus_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::WkvBonus};

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<WkvParams>(0);
    INGLE_TRY_ASSIGN(const BufferRange u, out.vector(run.op(0), 0));
    const struct { uint32_t size, paddedWidth; } push{params.headSize, paddedWidth(run.width(run.output(0)))};
    return out.dispatch("wkv_bonus", {kElementGroup},
                        {reads(out.rows(run.input(0, 0))), reads(out.rows(run.input(0, 1))),
                         reads(out.rows(run.input(0, 2))), reads(u), writes(out.rows(run.output(0)))},
                        push, {params.numHeads, out.numRows(run.output(0)), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::wkv_bonus_ops
