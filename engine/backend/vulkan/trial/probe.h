/// First contact with the graphics drivers: which devices there are, and whether they compute what they
/// should. A driver may crash or hang here, so programs let a child process do it: see probe_process.h.
#pragma once

#include <cstdint>
#include <functional>
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

struct ProbedDevice {
    std::string identity;  ///< see driverIdentity()
    std::string name;
    DeviceKind kind = DeviceKind::Other;
    std::string driver;        ///< for people
    uint64_t memoryBytes = 0;  ///< of the heap that weights would go to
    Trial trial = Trial::Untried;
    std::string refusal;  ///< why it is not used, in one sentence; empty: it may be
    /// What its units for matrices multiply, for people; empty: it has none.
    std::string units;
    Trial unitsTrial = Trial::Done;  ///< of a device that is not refused
    std::string unitsRefusal;        ///< why they are left alone, in one sentence; empty: they are not
};

/// Whether the device may be used, and what its units compute is not known yet.
bool isUnitsTrialMissing(const ProbedDevice& device);

struct ProbeVerdict {
    std::vector<ProbedDevice> devices;
    std::string refusal;          ///< why Vulkan is left alone altogether, in one sentence; empty: it is not
    Trial listing = Trial::Done;  ///< otherwise the refusal is that nobody lived to list the devices

    /// Null for a device or driver that was not probed.
    const ProbedDevice* find(const DeviceInfo& device) const;
};

/// Computes with all that the device of an identity has, its units for matrices above all. It calls `goesOn`
/// now and then, since it may take long. Errors: what is wrong, in one sentence.
using UnitsTrial = std::function<Status(const std::string& identity, const std::function<void()>& goesOn)>;

/// Tells in lines of JSON, each as soon as it is known: first a verdict with all devices, of which those that
/// could be used are untried; then each of these, tried out with a small kernel; then again those that have
/// units for matrices, which `tryUnits` has tried (null, or software: they count as tried). `leftOut`:
/// identities of devices that are listed, but neither tried nor told of again.
void probeDevices(const std::vector<std::string>& leftOut,
                  const std::function<void(const std::string& line)>& tell, const UnitsTrial& tryUnits = {},
                  const InstanceOptions& options = InstanceOptions::fromEnvironment());

/// One line of JSON, without its end.
std::string encodeVerdict(const ProbeVerdict& verdict);
std::string encodeDevice(const ProbedDevice& device);
/// Errors: Corrupt.
Result<ProbeVerdict> decodeVerdict(std::string_view json);
Result<ProbedDevice> decodeDevice(std::string_view json);

/// All that the child process does: probes, writes what there is to tell to standard output, exits. What
/// drivers print goes to standard error. Ends with its parent, also when a driver hangs.
[[noreturn]] void runProbeChild(const std::vector<std::string>& leftOut, const UnitsTrial& tryUnits = {});

}  // namespace ingle::backend::vulkan
