#include "engine/backend/vulkan/memory/step_buffer.h"

#include "engine/backend/vulkan/memory/vulkan_memory.h"
#include "engine/base/check.h"

namespace ingle::backend::vulkan {

StepBuffer StepBuffer::at(std::byte* memory, const StepCapacity& capacity) {
    auto* entries = reinterpret_cast<StepEntry*>(memory + sizeof(StepHeader));
    return {*reinterpret_cast<StepHeader*>(memory), {entries, capacity.entries()}};
}

void writeStep(const Step& step, const StepBuffer& out) {
    const size_t rows = std::max(step.tokens.size(), step.logitRows.size());
    INGLE_CHECK(rows <= out.entries.size(), "{} rows in a buffer for {}", rows, out.entries.size());
    out.header = {.numRuns = static_cast<uint32_t>(step.runs.size()),
                  .numLogitRows = static_cast<uint32_t>(step.logitRows.size()),
                  .flags = 0};
    std::ranges::fill(out.entries,
                      StepEntry{.runOfRow = StepEntry::kNoRun, .token = 0, .logitRow = 0, .run = {}});
    uint32_t row = 0;
    for (uint32_t i = 0; i < step.runs.size(); ++i) {
        const SequenceRun& run = step.runs[i];
        INGLE_CHECK(run.numRows <= step.tokens.size() - row, "run {} of {} rows, {} of {} taken", i,
                    run.numRows, row, step.tokens.size());
        const auto* sequence = dynamic_cast<const VulkanSequence*>(run.sequence);
        INGLE_CHECK(sequence != nullptr, "run {} is of another backend", i);
        out.entries[i].run = {
            .firstRow = row,
            .numRows = run.numRows,
            .slot = sequence->slot(),
            .firstPosition = sequence->length(),
            .slotAfter = sequence->slot(),
            .prefixTokens = run.isPicture ? sequence->length() + run.numRows : run.prefixTokens,
            .firstGuess = row + run.numRows - run.numGuesses,
            .keptSlot = sequence->keptSlot().value_or(sequence->slot()),
            .freeSlot = sequence->slot()};
        for (const uint32_t end = row + run.numRows; row < end; ++row) out.entries[row].runOfRow = i;
    }
    for (size_t i = 0; i < step.tokens.size(); ++i)
        out.entries[i].token = static_cast<uint32_t>(step.tokens[i]);
    for (size_t i = 0; i < step.logitRows.size(); ++i) out.entries[i].logitRow = step.logitRows[i];
}

void setStateSlots(uint32_t after, uint32_t free, StepRun& run) {
    run.slotAfter = after;
    run.freeSlot = free;
}

}  // namespace ingle::backend::vulkan
