#include "engine/session/backends.h"

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/vulkan/vulkan_backend.h"
#include "engine/base/cpu_features.h"
#include "engine/session/device_choice.h"

namespace ingle::session {

Result<ChosenDevice> createDevice(const LoadOptions& options) {
    ChosenDevice device;
    if (options.backend == BackendChoice::Cpu) return device;
    const DriverTrials& trials = options.trials;
    if (trials.command.empty()) {
        if (options.backend == BackendChoice::Auto && options.device.empty()) return device;
        INGLE_TRY_ASSIGN(device.backend, backend::vulkan::createVulkanBackend(
                                             {.device = options.device, .activations = options.activations}));
        return device;
    }
    INGLE_TRY_ASSIGN(const auto chosen, chooseDevice(options));
    if (!chosen) return device;
    device.marks = marksOf(*chosen, trials);
    if (device.marks) device.use = device.marks->begin(DeviceMarks::Phase::Start);
    INGLE_TRY_ASSIGN(device.backend, backend::vulkan::createVulkanBackend({.identity = chosen->identity,
                                                                           .activations = options.activations,
                                                                           .cacheFolder = trials.folder}));
    return device;
}

Result<std::unique_ptr<backend::Backend>> createProcessor(const LoadOptions& options) {
    INGLE_TRY_ASSIGN(const base::Isa isa, base::chooseIsa());
    return backend::cpu::createCpuBackend(
        {options.threads, options.referenceKernels ? base::Isa::Scalar : isa, options.activations});
}

}  // namespace ingle::session
