#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::channel_scan_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::ChannelScan};
/// Each invocation keeps the state of a channel in registers.
constexpr uint32_t kMaxStateSize = 256;
constexpr uint32_t kGroup = 64;

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<ChannelScanParams>(0);
    if (params.stateSize > kMaxStateSize)
        return fail(ErrorCode::Unsupported,
                    "Mamba states of {} numbers on this device; at most {} are possible", params.stateSize,
                    kMaxStateSize);
    const Op& op = run.op(0);
    std::vector<Binding> bindings{reads(out.step()), updates(out.memory().state(params.state))};
    for (const Operand& input : run.inputs(0)) bindings.push_back(reads(out.rows(input.value)));
    for (size_t i = 0; i < op.weights.size(); ++i) {
        INGLE_TRY_ASSIGN(const BufferRange weight, out.vector(op, i));
        bindings.push_back(reads(weight));
    }
    bindings.push_back(writes(out.rows(run.output(0))));
    const uint32_t width = run.width(run.output(0));
    const struct {
        uint32_t width, paddedWidth, paddedState, stateElems;
    } push{width, paddedWidth(width), paddedWidth(params.stateSize), out.memory().stateStride(params.state)};
    return out.dispatch("channel_scan", {kGroup, params.stateSize, kGroup}, std::move(bindings), push,
                        {(width + kGroup - 1) / kGroup, out.numTokens(), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::channel_scan_ops
