/// The values of a step as shaders/step.glsl reads them: u32 {runs, logit rows, free slot, flags}, then for
/// `rows` rows each the run and the token, for `rows` runs {first row, rows, slot, first position, slot
/// after the step}, and for `logitRows` rows which they are. Free slot and flags are shaders/sample.comp's.
#pragma once

#include <span>

#include "engine/backend/backend.h"

namespace ingle::backend::vulkan {

struct StepCapacity {
    uint32_t rows = 0;
    uint32_t logitRows = 0;
    uint64_t bytes() const { return (4 + 7 * uint64_t{rows} + logitRows) * sizeof(uint32_t); }
};

/// The step's values within its capacity; what exceeds the step is marked as not there. out:
/// capacity.bytes().
void writeStep(const Step& step, const StepCapacity& capacity, std::span<uint32_t> out);

/// For a step of one row whose successors the device makes: the states after it go to slot `after`, and those
/// after the next one to slot `free`.
void setStateSlots(const StepCapacity& capacity, uint32_t after, uint32_t free, std::span<uint32_t> out);

}  // namespace ingle::backend::vulkan
