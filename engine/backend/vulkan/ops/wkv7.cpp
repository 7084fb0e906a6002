#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::wkv7_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::Wkv7};

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<WkvParams>(0);
    const struct {
        uint32_t paddedWidth, stateElems;
    } push{paddedWidth(run.width(run.output(0))), out.memory().stateStride(params.state)};
    std::vector<Binding> bindings{reads(out.step()), updates(out.memory().state(params.state))};
    for (const Operand& input : run.inputs(0)) bindings.push_back(reads(out.rows(input.value)));
    bindings.push_back(writes(out.rows(run.output(0))));
    return out.dispatch("wkv7", {params.headSize, params.headSize}, std::move(bindings), push,
                        {params.numHeads, out.numTokens(), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::wkv7_ops
