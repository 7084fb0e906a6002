/// The ops that compute each value from those at the same place, see shaders/elementwise.comp.
#pragma once

#include "engine/backend/vulkan/vulkan_op.h"

namespace ingle::backend::vulkan {

/// As the shader numbers them.
enum class ElementFunction : uint32_t { Add = 0, Multiply = 1, Scale = 2, Activate = 3, Gate = 4 };

/// Records op 0 of the run. Errors: as VulkanOp::record.
Status recordElementwise(const OpRun& run, ElementFunction function, OpRecording& out,
                         ActivationKind activation = ActivationKind::Silu, float factor = 1);

}  // namespace ingle::backend::vulkan
