#include "engine/session/devices/device_choice.h"

namespace ingle::session {
namespace {

using backend::vulkan::ProbeCache;
using backend::vulkan::ProbedDevice;
using backend::vulkan::ProbeVerdict;
using backend::vulkan::Trial;

/// Why the device is not used this time, or an empty string.
std::string refusalOf(const ProbedDevice& device, const LoadOptions& options) {
    if (!device.refusal.empty()) return device.refusal;
    const auto marks = marksOf(device, options.trials);
    // Where nothing is remembered it may have been this one.
    const bool anyCrashed = options.crashedProcess != 0;
    if (!marks) return anyCrashed ? fmt::format("the driver of {} may have crashed", device.name) : "";
    if (anyCrashed && marks->diedIn(options.crashedProcess)) marks->condemn();
    // Another process than the one before may have been the last that crashed.
    const bool blameCounts = anyCrashed || !isAskedFor(options);
    return blameCounts && marks->blamed() ? blameFor(device) : std::string();
}

Result<DeviceChoice> choose(const LoadOptions& options, ProbeCache cache) {
    INGLE_TRY_ASSIGN(const ProbeVerdict verdict, askDrivers(options.trials, cache));
    if (!verdict.refusal.empty()) {
        if (verdict.listing != Trial::Done || isAskedFor(options))
            return fail(ErrorCode::Device, "{}", verdict.refusal);
        return DeviceChoice{};
    }
    auto choice = pickDevice(verdict.devices, options.device,
                             [&](const ProbedDevice& device) { return refusalOf(device, options); });
    const bool isWorthASentence = isAskedFor(options) || !choice.refusal.empty();
    if (!choice.device && isWorthASentence) return nonePicked(choice, options.device);
    return choice;
}

}  // namespace

bool isAskedFor(const LoadOptions& options) {
    return options.backend == BackendChoice::Vulkan || !options.device.empty();
}

Result<DeviceChoice> chooseDevice(const LoadOptions& options) {
    auto chosen = choose(options, ProbeCache::Use);
    if (chosen || !isAskedFor(options) || options.crashedProcess != 0) return chosen;
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
