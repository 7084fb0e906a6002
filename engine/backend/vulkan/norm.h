/// The ops that normalise parts of rows, see shaders/norm.comp.
#pragma once

#include "engine/backend/vulkan/vulkan_op.h"

namespace ingle::backend::vulkan {

/// As the shader numbers them.
enum class NormFunction : uint32_t { Rms = 0, Mean = 1, L2 = 2 };

/// Records op 0 of the run. Errors: as VulkanOp::record.
Status recordNorm(const OpRun& run, NormFunction function, OpRecording& out);

}  // namespace ingle::backend::vulkan
