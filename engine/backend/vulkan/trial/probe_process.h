/// Lets a child process make the first contact with the graphics drivers, and remembers how it went.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/backend/vulkan/trial/probe.h"

namespace ingle::backend::vulkan {

/// Renew asks the drivers again whatever is remembered.
enum class ProbeCache : uint8_t { Use, Renew };

struct ProbeRequest {
    /// A program's path and arguments, to which `--left-out IDENTITY` is added for each device that need not
    /// be tried; it calls runProbeChild().
    std::vector<std::string> command;
    std::string cacheFile;  ///< empty: nothing is remembered
    ProbeCache cache = ProbeCache::Use;
    std::chrono::milliseconds limit{20'000};  ///< that a child may say nothing
};

/// The remembered verdict, if it is for the drivers that are installed now, else what children tell. When one
/// crashes, hangs or talks nonsense, the first device that it did not tell about is refused with a sentence
/// that says so, and another child tries the rest: at most one more for each device. Without a list of
/// devices it is the whole verdict. A process remembers its own time-outs; others ask such devices again.
/// Before a device is used its verdict is looked up with ProbeVerdict::find(): a device that is not listed
/// has come since, which calls for ProbeCache::Renew. Errors: Io (a child cannot be started), InvalidArgument
/// (no command).
Result<ProbeVerdict> probeInChild(const ProbeRequest& request);

/// Changes whenever a graphics driver is installed, removed or updated, or a device comes or goes or may be
/// opened now. Found without contacting any: a hash of the manifests that the Vulkan loader reads, with their
/// times, of the kernel's release and of its device files.
std::string installedDriversKey();

}  // namespace ingle::backend::vulkan
