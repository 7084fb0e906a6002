/// The dispatches of a Linear op and of what may follow it.
#pragma once

#include <optional>

#include "engine/backend/vulkan/vulkan_op.h"

namespace ingle::backend::vulkan {

/// What is done to the products before they are stored, see shaders/epilogue.glsl.
struct LinearEpilogue {
    std::optional<ActivationKind> activation;
    std::optional<ValueId> residual;  ///< added last; of ops with one part
    /// y = f(part 0) * part 1 is stored here, and neither part; `activation` is f.
    std::optional<ValueId> gated;
    /// Where the only part goes instead of the Linear's own output.
    std::optional<ValueId> output;
};

/// Records op 0 of the run, a Linear. Errors: as VulkanOp::record.
Status recordLinear(const OpRun& run, const LinearEpilogue& epilogue, OpRecording& out);

/// Whether its two parts can be gated: they can be stacked in turns.
bool canGate(const Op& linear, const Plan& plan);

}  // namespace ingle::backend::vulkan
