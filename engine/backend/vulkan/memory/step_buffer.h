/// The values of a step on the device: a header, then entries, with the structs of shaders/step.glsl.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/backend/backend.h"

namespace ingle::backend::vulkan {

struct StepHeader {
    uint32_t numRuns, numLogitRows;
    uint32_t flags;  ///< see shaders/topk.glsl
};

/// Consecutive rows of one sequence.
struct StepRun {
    uint32_t firstRow, numRows;
    uint32_t slot;           ///< of its page table, and of its states before the step
    uint32_t firstPosition;  ///< in the sequence, of firstRow
    uint32_t slotAfter;      ///< of its states after the step
    uint32_t prefixTokens;   ///< see SequenceRun; of a picture: its end, up to which its rows see
    uint32_t firstGuess;     ///< the first row that is a guess; none: behind the last
    uint32_t keptSlot;       ///< of the states before it that are in no chunks
    uint32_t freeSlot;       ///< where the states after the next step go, when this one has made it
};

/// Entry i tells of row i, of run i and of row i of the logits: each of which may be there or not.
struct StepEntry {
    static constexpr uint32_t kNoRun = ~0U;

    uint32_t runOfRow;  ///< kNoRun: a row that is only there to fill up
    uint32_t token;     ///< of the row
    uint32_t logitRow;  ///< the row that the logits are of
    StepRun run;
};

// As std430 lays out 32-bit values: one behind the other.
static_assert(sizeof(StepHeader) == 3 * sizeof(uint32_t));
static_assert(sizeof(StepRun) == 9 * sizeof(uint32_t));
static_assert(sizeof(StepEntry) == 12 * sizeof(uint32_t));

struct StepCapacity {
    uint32_t rows = 0;
    uint32_t logitRows = 0;

    uint32_t entries() const { return std::max(rows, logitRows); }
    uint64_t bytes() const { return sizeof(StepHeader) + uint64_t{entries()} * sizeof(StepEntry); }
};

/// Host memory seen as a step's values.
struct StepBuffer {
    StepHeader& header;
    std::span<StepEntry> entries;

    /// memory: capacity.bytes(), aligned as a uint32_t is.
    static StepBuffer at(std::byte* memory, const StepCapacity& capacity);
};

/// The step's values; entries that exceed the step are marked as not there.
void writeStep(const Step& step, const StepBuffer& out);

/// Of a run of one row, in a step whose successors the device makes: the states after it go to slot `after`,
/// and those after the next one to slot `free`.
void setStateSlots(uint32_t after, uint32_t free, StepRun& run);

}  // namespace ingle::backend::vulkan
