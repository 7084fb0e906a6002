/// The Vulkan backend: runs a plan as compute shaders.
#pragma once

#include <memory>
#include <string>

#include "engine/backend/backend.h"
#include "engine/backend/vulkan/matvec/matvec_input.h"

namespace ingle::backend::vulkan {

struct VulkanOptions {
    std::string identity;  ///< see driverIdentity(); empty: the name decides
    std::string device;    ///< a part of its name; empty: the best that is not a processor
    ActivationType activations = ActivationType::Auto;
    bool withoutUnits = false;  ///< for matrices, which the driver gets wrong
    bool withoutBytes = false;  ///< products of bytes, as well
    /// How rows enter products of few rows whose kernels were not timed.
    MatvecInput untimed = MatvecInput::Floats;
    uint64_t maxBytes = 0;    ///< that may be taken of the device's memory; 0: all that is free
    std::string cacheFolder;  ///< an existing folder where what the driver compiled is kept; empty: none
};

/// Errors: Unsupported (no Vulkan, no such device, or one that cannot be used; one sentence says why),
/// Device, OutOfMemory.
Result<std::unique_ptr<Backend>> createVulkanBackend(const VulkanOptions& options);

}  // namespace ingle::backend::vulkan
