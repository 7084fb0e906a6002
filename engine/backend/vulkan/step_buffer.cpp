#include "engine/backend/vulkan/step_buffer.h"

#include <algorithm>

#include "engine/backend/vulkan/vulkan_memory.h"

namespace ingle::backend::vulkan {

void writeStep(const Step& step, const StepCapacity& capacity, std::span<uint32_t> out) {
    constexpr uint32_t kNone = ~0U;
    std::ranges::fill(out, 0U);
    const std::span<uint32_t> runOfRow = out.subspan(4, capacity.rows);
    const std::span<uint32_t> tokens = out.subspan(4 + capacity.rows, capacity.rows);
    const std::span<uint32_t> runs = out.subspan(4 + 2 * size_t{capacity.rows}, 5 * size_t{capacity.rows});
    const std::span<uint32_t> logitRows = out.subspan(4 + 7 * size_t{capacity.rows}, capacity.logitRows);
    out[0] = static_cast<uint32_t>(step.runs.size());
    out[1] = static_cast<uint32_t>(step.logitRows.size());
    std::ranges::fill(runOfRow, kNone);
    uint32_t row = 0;
    for (uint32_t i = 0; i < step.runs.size(); ++i) {
        const SequenceRun& run = step.runs[i];
        const auto* sequence = static_cast<const VulkanSequence*>(run.sequence);
        const uint32_t values[] = {row, run.numRows, sequence->slot(), sequence->length(), sequence->slot()};
        std::ranges::copy(values, runs.begin() + 5 * i);
        std::fill_n(runOfRow.begin() + row, run.numRows, i);
        row += run.numRows;
    }
    std::ranges::transform(step.tokens, tokens.begin(),
                           [](TokenId token) { return static_cast<uint32_t>(token); });
    std::ranges::copy(step.logitRows, logitRows.begin());
}

void setStateSlots(const StepCapacity& capacity, uint32_t after, uint32_t free, std::span<uint32_t> out) {
    out[2] = free;
    out[4 + 2 * size_t{capacity.rows} + 4] = after;
}

}  // namespace ingle::backend::vulkan
