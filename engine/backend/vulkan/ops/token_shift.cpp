#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::token_shift_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::TokenShift};

Status record(const OpRun& run, OpRecording& out) {
    const uint32_t state = run.params<StateParams>(0).state;
    const struct { uint32_t rowVectors; } push{paddedWidth(run.width(run.output(0))) / 4};
    return out.dispatch("token_shift", {kElementGroup},
                        {reads(out.step()), updates(out.memory().state(state)),
                         reads(out.rows(run.input(0, 0))), writes(out.rows(run.output(0)))},
                        push, {groupsFor(push.rowVectors, kElementGroup), out.numTokens(), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::token_shift_ops
