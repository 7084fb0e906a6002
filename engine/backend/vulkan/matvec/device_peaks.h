/// What a device can do at most, measured: the figures that kernels are compared with.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/vulkan/substrate/pipelines.h"

namespace ingle::backend::vulkan {

/// Copies memory that is larger than caches, and multiplies what is in registers: halves where the device has
/// units for matrices, else floats. Takes some milliseconds. Errors: OutOfMemory, Device.
Result<BackendPeaks> measureDevicePeaks(Device& device, Pipelines& pipelines);

}  // namespace ingle::backend::vulkan
