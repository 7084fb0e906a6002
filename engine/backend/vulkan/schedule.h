/// In which runs a program's ops are computed, and where their values lie.
#pragma once

#include <optional>
#include <vector>

#include "engine/backend/vulkan/vulkan_op.h"

namespace ingle::backend::vulkan {

enum class OpFusion : uint8_t {
    On,
    Off,  ///< every op by itself, so that each value can be looked at
};

struct ScheduledRun {
    const VulkanOp* kernel = nullptr;
    OpRun run;
};

/// All ops, in order: at each place the longest run that fits. Refers to the plan. Errors: Unsupported (an
/// op).
Result<std::vector<ScheduledRun>> scheduleOps(const Plan& plan, const PlanValues& values, OpFusion fusion);

/// Buffers that values share whose lifetimes do not overlap. A run's outputs share none with its inputs.
struct ValueBuffers {
    std::vector<uint64_t> sizes;                    ///< bytes, of each buffer
    std::vector<std::optional<uint32_t>> bufferOf;  ///< by ValueId; none: never stored
};
ValueBuffers planBuffers(const PlanValues& values, std::span<const ScheduledRun> runs, const RowCounts& rows);

}  // namespace ingle::backend::vulkan
