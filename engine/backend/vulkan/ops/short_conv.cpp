#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::short_conv_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::ShortConv};

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<ShortConvParams>(0);
    const Op& op = run.op(0);
    const bool hasBias = op.weights.size() > 1;
    INGLE_TRY_ASSIGN(const BufferRange weights, out.vector(op, 0));
    BufferRange bias = out.unused();
    if (hasBias) {
        INGLE_TRY_ASSIGN(bias, out.vector(op, 1));
    }
    const struct {
        uint32_t width, stateElems;
    } push{run.width(run.output(0)), out.memory().stateStride(params.state)};
    return out.dispatch("short_conv", {kElementGroup, params.kernel, hasBias},
                        {reads(out.step()), updates(out.memory().state(params.state)), reads(weights),
                         reads(bias), reads(out.rows(run.input(0, 0))), writes(out.rows(run.output(0)))},
                        push, {groupsFor(push.width, kElementGroup), out.numTokens(), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::short_conv_ops
