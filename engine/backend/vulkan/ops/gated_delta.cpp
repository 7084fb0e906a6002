#include "engine/backend/vulkan/recording/chunk_keys.h"

namespace ingle::backend::vulkan::gated_delta_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::GatedDelta};
/// Each invocation keeps a column of the state in registers.
constexpr uint32_t kMaxKeyDim = 256;

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<GatedDeltaParams>(0);
    if (params.keyDim > kMaxKeyDim)
        return fail(ErrorCode::Unsupported,
                    "gated delta heads with keys of {} dimensions on this device; at most {} are possible",
                    params.keyDim, kMaxKeyDim);
    const Op& op = run.op(0);
    INGLE_TRY_ASSIGN(const BufferRange decay, out.vector(op, 0));
    INGLE_TRY_ASSIGN(const BufferRange bias, out.vector(op, 1));
    const struct {
        uint32_t stateElems, numKeyHeads;
    } push{out.memory().stateStride(params.state), params.numKeyHeads};
    std::vector<Binding> bindings{reads(out.step()), updates(out.memory().state(params.state))};
    for (const Operand& input : run.inputs(0)) bindings.push_back(reads(out.rows(input.value)));
    bindings.push_back(reads(decay));
    bindings.push_back(reads(bias));
    bindings.push_back(writes(out.rows(run.output(0))));
    INGLE_TRY(
        out.dispatch("gated_delta",
                     {params.valueDim, params.keyDim, params.valueDim, params.pairing == HeadPairing::Tiled},
                     std::move(bindings), push, {params.numValueHeads, out.numTokens(), 1}));
    return keepKeys(layoutOf(params), params.state, run.input(0, 1), out);
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::gated_delta_ops
