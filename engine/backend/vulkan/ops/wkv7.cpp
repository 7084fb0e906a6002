#include "engine/backend/vulkan/vulkan_op.h"

namespace ingle::backend::vulkan {
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

}  // namespace

extern const VulkanOp wkv7_op;
const VulkanOp wkv7_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
