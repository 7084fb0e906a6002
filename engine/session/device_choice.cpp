#include "engine/session/device_choice.h"

#include <algorithm>

namespace ingle::session {
namespace {

using backend::vulkan::DeviceKind;
using backend::vulkan::ProbeCache;
using backend::vulkan::ProbedDevice;
using backend::vulkan::ProbeVerdict;

bool isAskedFor(const LoadOptions& options) {
    return options.backend == BackendChoice::Vulkan || !options.device.empty();
}

bool isWanted(const ProbedDevice& device, const LoadOptions& options) {
    if (options.device.empty()) return device.kind != DeviceKind::Cpu;
    return device.name.find(options.device) != std::string::npos;
}

/// Why the device is not used this time, or an empty string.
std::string refusalOf(const ProbedDevice& device, const LoadOptions& options) {
    if (!device.refusal.empty()) return device.refusal;
    const auto marks = marksOf(device, options.trials);
    if (!marks) return {};
    using Phase = DeviceMarks::Phase;
    const bool crashedNow =
        options.afterCrash && (marks->deaths(Phase::Start) > 0 || marks->deaths(Phase::Work) > 0);
    if (crashedNow) marks->condemn();
    return crashedNow || (!isAskedFor(options) && marks->blamed()) ? blameFor(device) : std::string();
}

Result<std::optional<ProbedDevice>> choose(const LoadOptions& options, ProbeCache cache) {
    INGLE_TRY_ASSIGN(ProbeVerdict verdict, askDrivers(options.trials, cache));
    if (!verdict.refusal.empty()) {
        if (verdict.crashed || isAskedFor(options)) return fail(ErrorCode::Device, "{}", verdict.refusal);
        return std::nullopt;
    }
    std::ranges::stable_sort(verdict.devices, {}, &ProbedDevice::kind);
    std::string why;
    for (const ProbedDevice& device : verdict.devices) {
        if (!isWanted(device, options)) continue;
        std::string refusal = refusalOf(device, options);
        if (refusal.empty()) return device;
        if (why.empty()) why = std::move(refusal);
    }
    if (!why.empty()) return fail(ErrorCode::Unsupported, "{}", why);
    if (!options.device.empty())
        return fail(ErrorCode::Unsupported, "no Vulkan device is called \"{}\"", options.device);
    if (isAskedFor(options))
        return fail(ErrorCode::Unsupported, "this computer has no graphics processor for Vulkan");
    return std::nullopt;
}

}  // namespace

Result<std::optional<ProbedDevice>> chooseDevice(const LoadOptions& options) {
    auto chosen = choose(options, ProbeCache::Use);
    if (chosen || !isAskedFor(options) || options.afterCrash) return chosen;
    return choose(options, ProbeCache::Renew);
}

std::string blameFor(const ProbedDevice& device) {
    return fmt::format("the driver of {} crashed or hung; it is tried again after an update, or by name",
                       device.name);
}

std::optional<DeviceMarks> marksOf(const ProbedDevice& device, const DriverTrials& trials) {
    if (trials.folder.empty()) return std::nullopt;
    return DeviceMarks(trials.folder, device.identity);
}

Result<ProbeVerdict> askDrivers(const DriverTrials& trials, ProbeCache cache) {
    return backend::vulkan::probeInChild(
        {.command = trials.command,
         .cacheFile = trials.folder.empty() ? std::string() : trials.folder + "/drivers",
         .cache = cache});
}

}  // namespace ingle::session
