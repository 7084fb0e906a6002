#include "engine/backend/vulkan/recording/chunk_keys.h"

namespace ingle::backend::vulkan::mamba_scan_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::MambaScan};
/// Each invocation keeps a row of the state in registers.
constexpr uint32_t kMaxStateSize = 256;

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<MambaScanParams>(0);
    if (params.stateSize > kMaxStateSize)
        return fail(ErrorCode::Unsupported,
                    "Mamba-2 states of {} numbers on this device; at most {} are possible", params.stateSize,
                    kMaxStateSize);
    const Op& op = run.op(0);
    std::vector<Binding> bindings{reads(out.step()), updates(out.memory().state(params.state))};
    for (const Operand& input : run.inputs(0)) bindings.push_back(reads(out.rows(input.value)));
    for (size_t i = 0; i < op.weights.size(); ++i) {
        INGLE_TRY_ASSIGN(const BufferRange weight, out.vector(op, i));
        bindings.push_back(reads(weight));
    }
    bindings.push_back(writes(out.rows(run.output(0))));
    const struct { uint32_t stateElems, groups; } push{out.memory().stateStride(params.state), params.groups};
    INGLE_TRY(out.dispatch("mamba_scan", {params.headSize, params.stateSize, params.headSize},
                           std::move(bindings), push, {params.numHeads, out.numTokens(), 1}));
    return keepKeys(layoutOf(params), params.state, run.input(0, 1), out);
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::mamba_scan_ops
