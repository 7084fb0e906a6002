/// What a process may still do once it is caged: the kernel refuses the rest, whatever runs in the process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingle/result.h"

namespace ingle::sandbox {

/// Which sockets a process may make. It may use those that it has.
enum class Sockets : uint8_t {
    None,
    Pairs,  ///< pairs for its children; it accepts clients of a socket that it has, and connects to nobody
    Local,  ///< of this computer's programs (AF_UNIX, AF_NETLINK)
    Asked,  ///< of this computer's programs; a broker connects them (connect_requests.h), or refuses to
    Connecting,  ///< to servers, not to programs of this computer's sessions; pairs
};

/// Which other processes it may start.
enum class Programs : uint8_t {
    None,   ///< nor copies of itself
    Asked,  ///< the same; it waits for the children that a broker starts for it
    Any,    ///< within the same cage, and only those that `executable` names where files are restricted
};

/// Which calls are left beside those that all are refused: into other processes, to namespaces and mounts,
/// and what attackers of kernels like.
enum class Calls : uint8_t {
    Few,      ///< no shared memory, no watching of files, no change of their owners, rights and times
    Drivers,  ///< also memory as files without names, in which some graphics drivers keep theirs
    Toolkit,  ///< shared memory and watching of files, as toolkits and databases use them
    Desktop,  ///< all of these
};

struct Cage {
    bool restrictsFiles = true;           ///< to those below
    std::vector<std::string> readable;    ///< files and folders
    std::vector<std::string> writable;    ///< also for making, replacing and removing files
    std::vector<std::string> devices;     ///< device files, or folders of them
    std::vector<std::string> executable;  ///< programs
    std::vector<uint16_t> ports;          ///< of servers, with Sockets::Connecting; since Landlock 4
    Sockets sockets = Sockets::None;
    Programs programs = Programs::None;
    Calls calls = Calls::Few;
    bool isDumpable = false;  ///< whether other programs of the same user may read its memory
};

/// What the kernel enforces for this process.
struct Enforced {
    bool sockets = false;      ///< seccomp filters system calls
    int landlock = 0;          ///< the version of Landlock that restricts files; 0: it does not
    int connectRequests = -1;  ///< with Sockets::Asked: a descriptor for connect_requests.h, the caller's
};

/// Takes everything else away from this process and from whatever it starts, for good. To be called before
/// there is a second thread. Where the kernel has no Landlock, files are not restricted. Errors: Device when
/// the kernel refuses the filter of system calls.
Result<Enforced> enter(const Cage& cage);

/// What this kernel would enforce, without entering anything.
Enforced enforceable();
/// Whether it has what Sockets::Asked needs.
bool canAskForConnections();
/// A sentence about what this kernel cannot enforce; empty: it can do all.
std::string lacking(const Enforced& enforced);

}  // namespace ingle::sandbox
