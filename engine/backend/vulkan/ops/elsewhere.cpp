#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::elsewhere_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::Elsewhere};

uint64_t rowBytes(uint32_t width) {
    return paddedWidth(width) * sizeof(float);
}

Status record(const OpRun& run, OpRecording& out) {
    const ValueId y = run.output(0);
    const uint32_t numRows = out.numRows(y);
    LeftPart left{.part = run.params<ElsewhereParams>(0).part,
                  .rows = run.rows(y),
                  .recordedRows = numRows,
                  .stride = paddedWidth(run.width(y))};
    uint64_t at = 0;
    for (const Operand& input : run.inputs(0)) {
        const uint64_t bytes = numRows * rowBytes(input.width);
        const BufferRange given = out.partInputs().part(at, bytes);
        INGLE_TRY(out.copy(out.rows(input.value).part(0, bytes), given));
        left.inputs.push_back(
            {reinterpret_cast<const float*>(given.host), paddedWidth(input.width), input.width});
        at += bytes;
    }
    const uint64_t bytes = numRows * rowBytes(run.width(y));
    left.y = out.partOutput().part(0, bytes);
    left.copied = out.rows(y).part(0, bytes);
    out.leave(std::move(left));
    return {};
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::elsewhere_ops
