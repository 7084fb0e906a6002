/// First contact with the graphics drivers: which devices there are, and whether they compute what they
/// should. A driver may crash or hang here, so programs let a child process do it: see probe_process.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/vulkan/instance.h"

namespace ingle::backend::vulkan {

struct ProbedDevice {
    std::string identity;  ///< see driverIdentity()
    std::string name;
    DeviceKind kind = DeviceKind::Other;
    std::string driver;        ///< for people
    uint64_t memoryBytes = 0;  ///< of the heap that weights would go to
    std::string refusal;       ///< why it is not used, in one sentence; empty: it may be
};

struct ProbeVerdict {
    std::vector<ProbedDevice> devices;
    std::string refusal;   ///< why Vulkan is left alone altogether, in one sentence; empty: it is not
    bool crashed = false;  ///< the refusal is that the child did not live to tell

    /// Null for a device or driver that was not probed.
    const ProbedDevice* find(const DeviceInfo& device) const;
};

/// Asks every device and runs a small kernel on those that could be used.
ProbeVerdict probeDevices(const InstanceOptions& options = InstanceOptions::fromEnvironment());

/// A verdict as one line of JSON.
std::string encodeVerdict(const ProbeVerdict& verdict);
/// Errors: Corrupt.
Result<ProbeVerdict> decodeVerdict(std::string_view json);

/// All that the child process does: probes, writes the verdict to standard output, exits. What drivers print
/// goes to standard error. Ends with its parent, also when a driver hangs.
[[noreturn]] void runProbeChild();

}  // namespace ingle::backend::vulkan
