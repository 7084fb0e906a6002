#include "engine/session/devices/backends.h"

#include <cstdlib>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/cpu_program.h"
#include "engine/backend/vulkan/program/vulkan_backend.h"
#include "engine/base/cpu_features.h"
#include "engine/session/devices/device_choice.h"

namespace ingle::session {

using backend::vulkan::DeviceFeature;

namespace {

/// INGLE_SLOW_DEVICE=1: for tests, whose devices are slow.
bool mustBeFaster(const LoadOptions& options) {
    const char* slow = std::getenv("INGLE_SLOW_DEVICE");
    return !isAskedFor(options) && !(slow && *slow);
}

}  // namespace

Result<ChosenDevice> createDevice(const LoadOptions& options) {
    ChosenDevice device;
    if (options.backend == BackendChoice::Cpu) return device;
    const DriverTrials& trials = options.trials;
    if (trials.command.empty()) {
        if (!isAskedFor(options)) return device;
        INGLE_TRY_ASSIGN(device.backend,
                         backend::vulkan::createVulkanBackend({.device = options.device,
                                                               .activations = options.activations,
                                                               .maxBytes = options.deviceBytes}));
        return device;
    }
    INGLE_TRY_ASSIGN(const DeviceChoice choice, chooseDevice(options));
    if (!choice.device) return device;
    if (!choice.refusal.empty())
        device.note = fmt::format("The best graphics device cannot be used, so {} computes: {}",
                                  choice.device->name, choice.refusal);
    const auto isLeft = [&](DeviceFeature feature) { return !choice.device->of(feature).refusal.empty(); };
    for (const DeviceFeature feature : backend::vulkan::kDeviceFeatures)
        if (isLeft(feature) && device.note.empty())
            device.note = fmt::format("{} computes without its {}: {}", choice.device->name,
                                      featureName(feature), choice.device->of(feature).refusal);
    device.marks = marksOf(*choice.device, trials);
    if (device.marks) device.use = device.marks->begin(DeviceMarks::Phase::Start);
    INGLE_TRY_ASSIGN(device.backend,
                     backend::vulkan::createVulkanBackend({.identity = choice.device->identity,
                                                           .activations = options.activations,
                                                           .withoutUnits = isLeft(DeviceFeature::Units),
                                                           .withoutBytes = isLeft(DeviceFeature::Bytes),
                                                           .maxBytes = options.deviceBytes,
                                                           .cacheFolder = trials.folder}));
    device.mustBeFaster = mustBeFaster(options);
    return device;
}

uint64_t processorProgramBytes(const backend::Plan& plan, const LoadOptions& options) {
    return backend::cpu::programBytes(plan, options.threads ? options.threads : base::physicalCores());
}

Result<std::unique_ptr<backend::Backend>> createProcessor(const LoadOptions& options) {
    INGLE_TRY_ASSIGN(const base::Isa isa, base::chooseIsa());
    return backend::cpu::createCpuBackend(
        {options.threads, options.referenceKernels ? base::Isa::Scalar : isa, options.activations});
}

}  // namespace ingle::session
