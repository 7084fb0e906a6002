#include "engine/backend/vulkan/program/program_ranges.h"

#include <algorithm>

#include "engine/backend/step_limits.h"
#include "engine/backend/vulkan/memory/picture_buffer.h"
#include "engine/backend/vulkan/recording/op_recording.h"

namespace ingle::backend::vulkan {
namespace {

/// The widest value that a product reads.
uint32_t widestInput(const Plan& plan) {
    uint32_t width = 1;
    for (const Op& op : plan.ops)
        if (op.code == OpCode::Linear || op.code == OpCode::ExpertLinear)
            width = std::max(width, plan.values[op.inputs[0].value].width);
    return width;
}

/// Groups of heads of all rows whose keys several workgroups may share.
uint64_t mostArrivals(const Plan& plan, uint32_t rows) {
    uint32_t numHeads = 0;
    for (const Op& op : plan.ops)
        if (op.code == OpCode::Attention)
            numHeads = std::max(numHeads, std::get<AttentionParams>(op.params).numHeads);
    return uint64_t{numHeads} * std::min(rows, kMaxMatvecRows);
}

/// For what passes from one dispatch of an op to the next.
uint64_t scratchBytes(const Plan& plan) {
    uint64_t bytes = kScratchBytes;
    for (const Op& op : plan.ops) {
        if (op.code != OpCode::Attention) continue;
        const auto& params = std::get<AttentionParams>(op.params);
        bytes =
            std::max(bytes, AttentionKernels::scratchFor({.keyDim = params.keyDim,
                                                          .valueDim = params.valueDim,
                                                          .numHeads = params.numHeads,
                                                          .headsPerKv = params.numHeads / params.numKvHeads,
                                                          .numTokens = 1}));
    }
    return bytes;
}

/// 0: the plan has no experts.
uint64_t largestExpertPlan(const Plan& plan, uint32_t rows) {
    uint64_t bytes = 0;
    for (const Op& op : plan.ops) {
        if (op.code != OpCode::ExpertLinear) continue;
        const uint32_t numUsed = plan.values[op.inputs[1].value].width / 2;
        const auto numExperts = static_cast<uint32_t>(plan.weights[op.weights[0]].tensor->shape.dims[2]);
        const ExpertSize size{.numExperts = numExperts, .numSlots = rows * numUsed};
        bytes = std::max(bytes, expertPlanBytes(size.numSlots, mostExpertTiles(size, kLeastTileTokens)));
    }
    return bytes;
}

/// Of the widest part that another backend computes; 0: there is none.
uint64_t largestPart(const Plan& plan, const StepCapacity& capacity, std::vector<Operand> Op::*operands) {
    uint64_t bytes = 0;
    for (const Op& op : plan.ops) {
        if (op.code != OpCode::Elsewhere) continue;
        uint64_t ofPart = 0;
        for (const Operand& operand : op.*operands)
            ofPart += plan.numRows(operand.value, capacity.rows, capacity.logitRows) *
                      paddedWidth(operand.width) * sizeof(float);
        bytes = std::max(bytes, ofPart);
    }
    return bytes;
}

}  // namespace

uint32_t mostQueuedRows(const StepCapacity& capacity) {
    return std::min({capacity.rows, capacity.logitRows, kMaxMatvecRows});
}

std::vector<WantedRange> wantedRanges(ProgramRanges& ranges, const Plan& plan, const StepCapacity& capacity,
                                      const DeviceContext& context) {
    std::vector<WantedRange> wanted;
    const auto want = [&](BufferRange& range, uint64_t bytes, MemoryUse use) {
        if (bytes > 0) wanted.push_back({&range, bytes, use});
    };
    const auto rowBytes = [](uint32_t width) { return paddedWidth(width) * sizeof(float); };
    const StepLimits limits(plan);
    const uint32_t rows = capacity.rows;

    want(ranges.step, capacity.bytes(), MemoryUse::Device);
    want(ranges.scratch, std::min(scratchBytes(plan), maxRangeBytes(context.device.info().limits)),
         MemoryUse::Device);
    want(ranges.arrivals, sizeof(uint32_t) * mostArrivals(plan, rows), MemoryUse::Device);
    want(ranges.unused, kRangeAlignment, MemoryUse::Device);
    if (context.matmulKernels.haveHalves()) {
        want(ranges.rowForms.at(RowForm::Halves), rowFormBytes(RowForm::Halves, widestInput(plan), rows),
             MemoryUse::Device);
        want(ranges.expertPlan, largestExpertPlan(plan, rows), MemoryUse::Device);
    }
    if (context.matvecShapes.mayHaveBytes())
        want(ranges.rowForms.at(RowForm::Bytes),
             rowFormBytes(RowForm::Bytes, widestInput(plan), std::min(rows, kMaxMatvecRows)),
             MemoryUse::Device);
    want(ranges.hostStep, capacity.bytes(), MemoryUse::HostWrite);
    want(ranges.hostLogits, rowBytes(plan.output.width) * capacity.logitRows, MemoryUse::HostRead);
    if (limits.pictureWidth > 0 || limits.inputWidth > 0) {
        want(ranges.pictures, sizeof(PictureEntry) * rows, MemoryUse::Device);
        want(ranges.hostPictures, sizeof(PictureEntry) * rows, MemoryUse::HostWrite);
        want(ranges.pictureRows, sizeof(float) * std::max(limits.pictureWidth, 1U) * rows, MemoryUse::Device);
    }
    want(ranges.hostInput, rowBytes(limits.inputWidth) * rows, MemoryUse::HostWrite);
    want(ranges.partInputs, largestPart(plan, capacity, &Op::inputs), MemoryUse::HostRead);
    want(ranges.partOutput, largestPart(plan, capacity, &Op::outputs), MemoryUse::HostWrite);
    if (!plan.hidden) return wanted;
    want(ranges.hostHidden, rowBytes(plan.hidden->width) * rows, MemoryUse::HostRead);
    for (BufferRange& turn : ranges.turnsHidden)
        want(turn, rowBytes(plan.hidden->width) * mostQueuedRows(capacity), MemoryUse::HostRead);
    return wanted;
}

}  // namespace ingle::backend::vulkan
