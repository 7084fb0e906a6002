#include "app/sandbox/cage.h"

#include <sys/prctl.h>

#include "app/sandbox/call_filter.h"
#include "app/sandbox/landlock.h"
#include "app/sandbox/sandbox.h"
#include "app/sandbox/secrecy.h"

namespace ingle::sandbox {
namespace {

bool restrictFiles(const Cage& cage) {
    // Who starts programs must be able to end them.
    const Landlock rules(cage.programs == Programs::None, cage.sockets == Sockets::Connecting);
    for (const std::string& path : cage.readable) rules.allow(path, FileAccess::Read);
    for (const std::string& path : cage.writable) rules.allow(path, FileAccess::Write);
    for (const std::string& path : cage.devices) rules.allow(path, FileAccess::Device);
    for (const std::string& path : cage.executable) rules.allow(path, FileAccess::Execute);
    return rules.enforce();
}

}  // namespace

Result<Enforced> enter(const Cage& cage) {
    Enforced enforced;
    if (cage.restrictsFiles && restrictFiles(cage)) enforced.landlock = Landlock::version();
    if (cage.sockets == Sockets::Local) INGLE_TRY(denyInternetSockets());
    INGLE_TRY(filterCalls(cage.sockets, cage.programs, cage.calls));
    enforced.sockets = true;
    if (!cage.isDumpable) keepOutOfDumps();
    return enforced;
}

Enforced enforceable() {
    // PR_GET_SECCOMP fails where the kernel has none.
    return {.sockets = ::prctl(PR_GET_SECCOMP) >= 0, .landlock = Landlock::version()};
}

std::string lacking(const Enforced& enforced) {
    if (!enforced.sockets) return "This kernel cannot filter system calls (seccomp).";
    if (enforced.landlock == 0)
        return "This kernel cannot restrict files (Landlock): code that took over the engine could read "
               "yours.";
    return {};
}

}  // namespace ingle::sandbox
