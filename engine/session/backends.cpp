#include "engine/session/backends.h"

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/vulkan/vulkan_backend.h"
#include "engine/base/cpu_features.h"

namespace ingle::session {

Result<std::unique_ptr<backend::Backend>> createDevice(const LoadOptions& options) {
    // Auto is the processor until drivers are tried out in a process of their own before the first use.
    const bool wanted = options.backend == BackendChoice::Vulkan || !options.device.empty();
    if (options.backend == BackendChoice::Cpu || !wanted) return nullptr;
    return backend::vulkan::createVulkanBackend({.device = options.device, .cacheFolder = {}});
}

Result<std::unique_ptr<backend::Backend>> createProcessor(const LoadOptions& options) {
    INGLE_TRY_ASSIGN(const base::Isa isa, base::chooseIsa());
    return backend::cpu::createCpuBackend(
        {options.threads, options.referenceKernels ? base::Isa::Scalar : isa, options.activations});
}

}  // namespace ingle::session
