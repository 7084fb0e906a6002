#include "engine/session/devices/device_choice.h"

namespace ingle::session {
namespace {

using backend::vulkan::DeviceFeature;
using backend::vulkan::kDeviceFeatures;
using backend::vulkan::ProbeCache;
using backend::vulkan::ProbedDevice;
using backend::vulkan::ProbeVerdict;
using backend::vulkan::Trial;

bool isBlamed(const DeviceMarks& marks, const LoadOptions& options) {
    const bool anyCrashed = options.crashedProcess != 0;
    if (anyCrashed && marks.diedIn(options.crashedProcess)) marks.condemn();
    // Another process than the one before may have been the last that crashed.
    const bool blameCounts = anyCrashed || !isAskedFor(options);
    return blameCounts && marks.blamed();
}

/// Why the device is not used this time, or an empty string.
std::string refusalOf(const ProbedDevice& device, const LoadOptions& options) {
    if (!device.refusal.empty()) return device.refusal;
    const auto marks = marksOf(device, options.trials);
    if (marks) return isBlamed(*marks, options) ? blameFor(device) : std::string();
    // Where nothing is remembered it may have been this one.
    const bool anyCrashed = options.crashedProcess != 0;
    return anyCrashed ? fmt::format("the driver of {} may have crashed", device.name) : "";
}

/// A driver that is known to have ended a process gets another chance where it used units for matrices,
/// which drivers crash with most: one chance, without all features, since after a second crash the window
/// takes the plainest code. Other deaths, as by a user's signal, say nothing about features.
void leaveFeaturesOfBlamed(ProbedDevice& device, const LoadOptions& options) {
    const auto marks = marksOf(device, options.trials);
    const bool usesUnits = device.refusal.empty() && device.of(DeviceFeature::Units).isUsed();
    if (!usesUnits || !marks || !isBlamed(*marks, options) || !marks->crashed()) return;
    const std::string reason = fmt::format("the driver of {} crashed while it used them", device.name);
    for (const DeviceFeature feature : kDeviceFeatures) {
        if (!device.of(feature).isUsed()) continue;
        // What cannot be remembered would crash again at the next start.
        if (!marks->leave(feature, reason)) return;
        device.of(feature).refusal = reason;
    }
    marks->forgive();
}

Result<DeviceChoice> choose(const LoadOptions& options, ProbeCache cache) {
    INGLE_TRY_ASSIGN(ProbeVerdict verdict, askDrivers(options.trials, cache));
    if (!verdict.refusal.empty()) {
        if (verdict.listing != Trial::Done || isAskedFor(options))
            return fail(ErrorCode::Device, "{}", verdict.refusal);
        return DeviceChoice{};
    }
    for (ProbedDevice& device : verdict.devices) leaveFeaturesOfBlamed(device, options);
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
    INGLE_TRY_ASSIGN(ProbeVerdict verdict,
                     backend::vulkan::probeInChild(
                         {.command = trials.command,
                          .cacheFile = trials.folder.empty() ? std::string() : trials.folder + "/drivers",
                          .cache = cache}));
    for (ProbedDevice& device : verdict.devices) {
        const auto marks = marksOf(device, trials);
        for (const DeviceFeature feature : kDeviceFeatures)
            if (marks && device.of(feature).refusal.empty())
                device.of(feature).refusal = marks->refusalOf(feature);
    }
    return verdict;
}

}  // namespace ingle::session
