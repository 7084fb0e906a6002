/// How much memory there is for this process.
#pragma once

#include <cstdint>
#include <string>

#include "ingle/result.h"

namespace ingle::base {

struct SystemMemory {
    uint64_t installedBytes = 0;  ///< what the kernel has
    uint64_t usableBytes = 0;     ///< the same, or the limit of a control group this process is in
    /// What may be taken now without swapping, or being ended at a limit. What is cached of files counts as
    /// free: it makes room.
    uint64_t availableBytes = 0;
};

/// Reads proc/meminfo and, of the control groups this process is in and all above them, the limits:
/// memory.max and memory.high of version 2, memory.limit_in_bytes of version 1. `root` is put before all
/// paths. A group that cannot be read sets no limit. Errors: Io (no meminfo), Corrupt (no such lines in it).
/// Sources: proc(5); Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of Linux.
Result<SystemMemory> readSystemMemory(const std::string& root = "");

}  // namespace ingle::base
