#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::wkv4_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::Wkv4};

Status record(const OpRun& run, OpRecording& out) {
    const uint32_t state = run.params<WkvParams>(0).state;
    const Op& op = run.op(0);
    INGLE_TRY_ASSIGN(const BufferRange w, out.vector(op, 0));
    INGLE_TRY_ASSIGN(const BufferRange u, out.vector(op, 1));
    const uint32_t width = run.width(run.output(0));
    const struct { uint32_t width, paddedWidth; } push{width, paddedWidth(width)};
    const VulkanMemoryPool& memory = out.memory();
    return out.dispatch(
        "wkv4", {kElementGroup},
        {reads(out.step()), updates(memory.state(state)), updates(memory.state(state + 1)),
         updates(memory.state(state + 2)), reads(w), reads(u), reads(out.rows(run.input(0, 0))),
         reads(out.rows(run.input(0, 1))), writes(out.rows(run.output(0)))},
        push, {groupsFor(width, kElementGroup), out.numTokens(), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::wkv4_ops
