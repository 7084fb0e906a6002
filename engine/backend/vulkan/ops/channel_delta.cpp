#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::channel_delta_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::ChannelDelta};
/// Each invocation keeps a column of the state in registers.
constexpr uint32_t kMaxKeyDim = 256;

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<ChannelDeltaParams>(0);
    if (params.keyDim > kMaxKeyDim)
        return fail(ErrorCode::Unsupported,
                    "delta heads with keys of {} dimensions on this device; at most {} are possible",
                    params.keyDim, kMaxKeyDim);
    const Op& op = run.op(0);
    INGLE_TRY_ASSIGN(const BufferRange decay, out.vector(op, 0));
    INGLE_TRY_ASSIGN(const BufferRange bias, out.vector(op, 1));
    std::vector<Binding> bindings{reads(out.step()), updates(out.memory().state(params.state))};
    for (const Operand& input : run.inputs(0)) bindings.push_back(reads(out.rows(input.value)));
    bindings.push_back(reads(decay));
    bindings.push_back(reads(bias));
    bindings.push_back(writes(out.rows(run.output(0))));
    const struct {
        uint32_t paddedKeys, paddedValues, paddedHeads, stateElems;
        float lowest;
    } push{paddedWidth(params.numHeads * params.keyDim), paddedWidth(params.numHeads * params.valueDim),
           paddedWidth(params.numHeads), out.memory().stateStride(params.state), params.lowest};
    return out.dispatch("channel_delta", {params.valueDim, params.keyDim, params.valueDim},
                        std::move(bindings), push, {params.numHeads, out.numTokens(), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::channel_delta_ops
