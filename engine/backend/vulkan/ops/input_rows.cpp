#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::input_rows_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::InputRows};

Status record(const OpRun& run, OpRecording& out) {
    const ValueId rows = run.output(0);
    const uint64_t bytes = uint64_t{out.numTokens()} * paddedWidth(run.width(rows)) * sizeof(float);
    return out.copy(out.inputRows().part(0, bytes), out.rows(rows).part(0, bytes));
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::input_rows_ops
