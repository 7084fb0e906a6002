#include "engine/backend/vulkan/schedule.h"

#include <map>

#include "engine/backend/op_facts.h"

namespace ingle::backend::vulkan {
namespace {

bool matches(const VulkanOp& kernel, const PlanValues& values, size_t first, const Plan& plan) {
    if (kernel.codes.size() > values.nodes.size() - first) return false;
    for (size_t i = 0; i < kernel.codes.size(); ++i) {
        if (values.nodes[first + i].op->code != kernel.codes[i]) return false;
    }
    return !kernel.fits || kernel.fits(OpRun(values, first, kernel.codes.size()), plan);
}

/// What a run reads from others, and what it leaves for them.
struct Traffic {
    std::vector<ValueId> inputs, outputs;
};

Traffic trafficOf(const OpRun& run, const PlanValues& values) {
    std::map<ValueId, uint32_t> usesInside;  // of values made inside
    Traffic traffic;
    for (size_t i = 0; i < run.size(); ++i) {
        for (const ValueId input : run.inputs(i)) {
            const auto made = usesInside.find(input);
            if (made == usesInside.end())
                traffic.inputs.push_back(input);
            else
                ++made->second;
        }
        for (const ValueId output : run.outputs(i)) usesInside.emplace(output, 0);
    }
    for (const auto& [value, uses] : usesInside) {
        if (values.values[value].numUses == 0 || values.values[value].numUses > uses)
            traffic.outputs.push_back(value);
    }
    return traffic;
}

}  // namespace

Result<std::vector<ScheduledRun>> scheduleOps(const Plan& plan, const PlanValues& values, OpFusion fusion) {
    std::vector<ScheduledRun> runs;
    for (size_t first = 0; first < values.nodes.size();) {
        const VulkanOp* best = nullptr;
        for (const VulkanOp* kernel : allVulkanOps()) {
            if (fusion == OpFusion::Off && kernel->codes.size() > 1) continue;
            if (best && kernel->codes.size() <= best->codes.size()) continue;
            if (matches(*kernel, values, first, plan)) best = kernel;
        }
        if (!best)
            return fail(ErrorCode::Unsupported, "the Vulkan backend has no op {}",
                        opName(values.nodes[first].op->code));
        runs.push_back({best, OpRun(values, first, best->codes.size())});
        first += best->codes.size();
    }
    return runs;
}

ValueBuffers planBuffers(const PlanValues& values, std::span<const ScheduledRun> runs,
                         const RowCounts& rows) {
    std::vector<Traffic> traffic;
    std::vector<size_t> lastUse(values.values.size(), 0);
    for (const ScheduledRun& scheduled : runs) {
        traffic.push_back(trafficOf(scheduled.run, values));
        for (const ValueId value : traffic.back().inputs) lastUse[value] = traffic.size() - 1;
        for (const ValueId value : traffic.back().outputs) lastUse[value] = traffic.size() - 1;
    }
    lastUse[values.logits] = runs.size();

    ValueBuffers buffers;
    buffers.bufferOf.resize(values.values.size());
    std::vector<uint32_t> free;
    for (size_t i = 0; i < runs.size(); ++i) {
        for (const ValueId value : traffic[i].outputs) {
            const uint64_t numRows = values.values[value].rows == RowKind::Token ? rows.tokens : rows.logits;
            const uint64_t bytes = numRows * paddedWidth(values.values[value].width) * sizeof(float);
            // The free buffer that wastes or grows least.
            const auto cost = [&](uint32_t buffer) {
                const uint64_t size = buffers.sizes[buffer];
                return size > bytes ? size - bytes : bytes - size;
            };
            const auto best = std::ranges::min_element(free, {}, cost);
            if (best == free.end()) {
                buffers.bufferOf[value] = static_cast<uint32_t>(buffers.sizes.size());
                buffers.sizes.push_back(bytes);
            } else {
                buffers.bufferOf[value] = *best;
                buffers.sizes[*best] = std::max(buffers.sizes[*best], bytes);
                free.erase(best);
            }
        }
        const auto release = [&](ValueId value) {
            if (lastUse[value] != i) return;
            const uint32_t buffer = *buffers.bufferOf[value];
            if (std::ranges::find(free, buffer) == free.end()) free.push_back(buffer);
        };
        std::ranges::for_each(traffic[i].inputs, release);
        std::ranges::for_each(traffic[i].outputs, release);
    }
    return buffers;
}

}  // namespace ingle::backend::vulkan
