/// Lets a child process make the first contact with the graphics drivers, and remembers how it went.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/backend/vulkan/probe.h"

namespace ingle::backend::vulkan {

/// Renew asks the drivers again whatever is remembered.
enum class ProbeCache : uint8_t { Use, Renew };

struct ProbeRequest {
    std::vector<std::string> command;  ///< a program's path and arguments; it calls runProbeChild()
    std::string cacheFile;             ///< empty: nothing is remembered
    ProbeCache cache = ProbeCache::Use;
    std::chrono::milliseconds limit{20'000};
};

/// The remembered verdict, if it is for the drivers that are installed now, else the child's. A child that
/// crashes, hangs or talks nonsense is a verdict too, with a refusal that says so. Before a device is used
/// its verdict is looked up with ProbeVerdict::find(): a device that is not listed has come since, which
/// calls for ProbeCache::Renew. Errors: Io (the child cannot be started), InvalidArgument (no command).
Result<ProbeVerdict> probeInChild(const ProbeRequest& request);

/// Changes whenever a graphics driver is installed, removed or updated, or a device comes or goes or may be
/// opened now. Found without contacting any: a hash of the manifests that the Vulkan loader reads, with their
/// times, of the kernel's release and of its device files.
std::string installedDriversKey();

}  // namespace ingle::backend::vulkan
