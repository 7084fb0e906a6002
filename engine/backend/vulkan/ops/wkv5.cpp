#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::wkv5_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::Wkv5};

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<WkvParams>(0);
    const Op& op = run.op(0);
    const bool decayPerToken = op.inputs.size() > 3;
    const auto perHead = [&](size_t index) {
        return static_cast<uint32_t>(out.tensor(op, index).shape.numElems() / params.numHeads);
    };
    INGLE_TRY_ASSIGN(const BufferRange u, out.vector(op, 0));
    BufferRange w = decayPerToken ? out.rows(run.input(0, 3)) : out.unused();
    if (!decayPerToken) {
        INGLE_TRY_ASSIGN(w, out.vector(op, 1));
    }
    const struct {
        uint32_t paddedWidth, stateElems, wPerHead, uPerHead;
    } push{paddedWidth(run.width(run.output(0))), out.memory().stateStride(params.state),
           decayPerToken ? 1 : perHead(1), perHead(0)};
    return out.dispatch(
        "wkv5", {params.headSize, params.headSize, decayPerToken},
        {reads(out.step()), updates(out.memory().state(params.state)), reads(out.rows(run.input(0, 0))),
         reads(out.rows(run.input(0, 1))), reads(out.rows(run.input(0, 2))), writes(out.rows(run.output(0))),
         reads(w), reads(u)},
        push, {params.numHeads, out.numTokens(), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::wkv5_ops
