/// First contact with the graphics drivers: which devices there are, and whether they compute what they
/// should. A driver may crash or hang here, so programs let a child process do it: see probe_process.h.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/vulkan/substrate/instance.h"

namespace ingle::backend::vulkan {

/// How the trial of a driver ended.
enum class Trial : uint8_t {
    Untried,
    Done,      ///< it works, or the refusal is for good
    Crashed,   ///< or talked nonsense
    TimedOut,  ///< perhaps the computer was busy
};

/// What a device may have beside what every kernel needs, and drivers get wrong. In the order in which they
/// are left alone where a driver crashes and nobody knows why.
enum class DeviceFeature : uint8_t { Units, Bytes };
inline constexpr std::array kDeviceFeatures{DeviceFeature::Units, DeviceFeature::Bytes};
/// "units for matrices", "products of bytes".
std::string_view featureName(DeviceFeature feature);

struct FeatureTrial {
    std::string what;           ///< for people, "units for matrices of 16 x 16 x 16"; empty: there is none
    Trial trial = Trial::Done;  ///< of a device that is not refused
    std::string refusal;        ///< why it is left alone, in one sentence; empty: it is not
    bool isUsed() const { return !what.empty() && refusal.empty(); }
};

struct ProbedDevice {
    std::string identity;  ///< see driverIdentity()
    std::string name;
    DeviceKind kind = DeviceKind::Other;
    std::string driver;        ///< for people
    uint64_t memoryBytes = 0;  ///< of the heap that weights would go to
    Trial trial = Trial::Untried;
    std::string refusal;  ///< why it is not used, in one sentence; empty: it may be
    std::array<FeatureTrial, kDeviceFeatures.size()> features{};

    FeatureTrial& of(DeviceFeature feature) { return features[static_cast<size_t>(feature)]; }
    const FeatureTrial& of(DeviceFeature feature) const { return features[static_cast<size_t>(feature)]; }
};

/// The first feature of a device that may be used of which it is not known yet whether it works.
std::optional<DeviceFeature> missingTrial(const ProbedDevice& device);

/// How a child is told to leave a device alone, or a feature of it.
std::string leftOutName(const ProbedDevice& device);
std::string leftOutName(const ProbedDevice& device, DeviceFeature feature);

struct ProbeVerdict {
    std::vector<ProbedDevice> devices;
    std::string refusal;          ///< why Vulkan is left alone altogether, in one sentence; empty: it is not
    Trial listing = Trial::Done;  ///< otherwise the refusal is that nobody lived to list the devices

    /// Null for a device or driver that was not probed.
    const ProbedDevice* find(const DeviceInfo& device) const;
};

/// Computes on the device of an identity with one of its features. It calls `goesOn` now and then, since it
/// may take long. Errors: what is wrong, in one sentence.
using TryFeature = std::function<Status(const std::string& identity, DeviceFeature feature,
                                        const std::function<void()>& goesOn)>;

/// Tells in lines of JSON, each as soon as it is known: first a verdict with all devices, of which those that
/// could be used are untried; then each of these, tried out with a small kernel; then again after each of its
/// features, which `tryFeature` has tried (null, or software: they count as tried). `leftOut`: what is
/// listed, but neither tried nor told of again, see leftOutName().
void probeDevices(const std::vector<std::string>& leftOut,
                  const std::function<void(const std::string& line)>& tell, const TryFeature& tryFeature = {},
                  const InstanceOptions& options = InstanceOptions::fromEnvironment());

/// One line of JSON, without its end.
std::string encodeVerdict(const ProbeVerdict& verdict);
std::string encodeDevice(const ProbedDevice& device);
/// Errors: Corrupt.
Result<ProbeVerdict> decodeVerdict(std::string_view json);
Result<ProbedDevice> decodeDevice(std::string_view json);

/// All that the child process does: probes, writes what there is to tell to standard output, exits. What
/// drivers print goes to standard error. Ends with its parent, also when a driver hangs.
[[noreturn]] void runProbeChild(const std::vector<std::string>& leftOut, const TryFeature& tryFeature = {});

}  // namespace ingle::backend::vulkan
