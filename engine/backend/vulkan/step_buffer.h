/// The values of a step as shaders/step.glsl reads them: u32 {runs, logit rows, 0, 0}, then for `rows` rows
/// each the run and the token, for `rows` runs {first row, rows, slot, first position}, and for `logitRows`
/// rows which they are.
#pragma once

#include <span>

#include "engine/backend/backend.h"

namespace ingle::backend::vulkan {

struct StepCapacity {
    uint32_t rows = 0;
    uint32_t logitRows = 0;
    uint64_t bytes() const { return (4 + 6 * uint64_t{rows} + logitRows) * sizeof(uint32_t); }
};

/// The step's values within its capacity; what exceeds the step is marked as not there. out:
/// capacity.bytes().
void writeStep(const Step& step, const StepCapacity& capacity, std::span<uint32_t> out);

}  // namespace ingle::backend::vulkan
