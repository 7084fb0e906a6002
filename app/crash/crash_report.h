/// A local report of a crash: what a programmer needs, and nothing of what was said. Nobody is sent it; the
/// window shows it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ingle/result.h"

namespace ingle::crash {

struct Program {
    std::string folder;   ///< where reports are kept; made when there is one
    std::string name;     ///< "ingle host"
    std::string version;  ///< "1.2.3"
    void (*beforeReport)() =
        nullptr;  ///< called first, in the handler: may only do what signal-safety(7) allows
};

/// From now on a signal that ends this process as a crash (SEGV, ILL, FPE, ABRT, SYS, TRAP) writes a report
/// first. Bus errors are left to those who map files. Of older reports the newest few are kept, shown or not.
/// Once a process, before its threads.
void keepReports(const Program& program);

/// What computes, for a report that may follow. Always from one thread; a report that another thread writes
/// at the same moment may name neither device.
void noteDevice(std::string_view device);

/// The newest report nobody has been shown, by its path.
std::optional<std::string> unseenReport(const std::string& folder);
/// All unseen reports count as shown from now on; they stay. Errors: Io.
Status markSeen(const std::string& folder);

}  // namespace ingle::crash
