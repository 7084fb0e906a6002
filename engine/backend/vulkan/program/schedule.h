/// In which runs a program's ops are computed, and where their values lie.
#pragma once

#include <optional>
#include <vector>

#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan {

struct ScheduledRun {
    const VulkanOp* kernel = nullptr;
    OpRun run;
};

/// All ops, each in one run, in an order in which they can run; those that use sequences' memory in the
/// plan's. With Fusion::On the longest runs that fit, of ops that need not be neighbours: what a run reads
/// from others comes before it, what others read from it behind. Refers to the plan. Errors: Unsupported (an
/// op).
Result<std::vector<ScheduledRun>> scheduleOps(const Plan& plan, Fusion fusion);

/// Buffers of a schedule's values; see backend::planBuffers().
struct ValueBuffers {
    std::vector<uint64_t> sizes;                    ///< bytes, of each buffer
    std::vector<std::optional<uint32_t>> bufferOf;  ///< by ValueId; none: it stays inside a run
};
ValueBuffers planValues(const Plan& plan, std::span<const ScheduledRun> runs, const RowCounts& rows);

}  // namespace ingle::backend::vulkan
