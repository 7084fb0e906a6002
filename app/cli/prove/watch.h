/// Watches a process and all that it starts, one system call after the other, as a debugger does (ptrace).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ingle/result.h"

namespace ingle::cli::prove {

/// What became of one attempt.
struct Tries {
    uint32_t done = 0;
    uint32_t refused = 0;  ///< by the kernel
};

struct Process {
    std::string program;              ///< the path of its file
    std::string role;                 ///< its first argument: `ingle host`; may be empty
    bool callsAreFiltered = false;    ///< by seccomp
    bool filesAreRestricted = false;  ///< by Landlock
    auto operator<=>(const Process&) const = default;
};

/// What all processes did together.
struct Record {
    std::vector<Process> processes;
    std::set<int> processIds;
    std::map<std::string, Tries> sockets;     ///< by family, and what a connection led to: "internet (IPv4)"
    std::map<std::string, Tries> read;        ///< by path; of those that were refused, the wanted ones
    std::map<std::string, Tries> opened;      ///< for writing, made, renamed or removed, by path
    std::map<std::string, uint64_t> written;  ///< bytes, by path
    std::map<std::string, Tries> intrusions;  ///< into the memory of other processes, by the call's name
    uint64_t calls = 0;
    uint32_t unnamed = 0;  ///< files whose names could not be read
    int exitStatus = 0;    ///< of the work, as wait() gives it
};

/// Runs `work` in a process of its own and watches it until it and all that it started have ended. Its memory
/// stays readable for the watcher, whatever it asks the kernel for. This process must have one thread.
/// Errors: Io (the system has no room, or allows nobody to watch), Unsupported (not on this processor).
Result<Record> watch(const std::function<int()>& work);

}  // namespace ingle::cli::prove
