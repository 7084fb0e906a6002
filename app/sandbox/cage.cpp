#include "app/sandbox/cage.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "app/sandbox/call_filter.h"
#include "app/sandbox/landlock.h"
#include "app/sandbox/sandbox.h"
#include "app/sandbox/secrecy.h"

namespace ingle::sandbox {
namespace {

bool restrictFiles(const Cage& cage) {
    // Who starts programs must be able to end them.
    const Landlock rules(cage.programs != Programs::Any);
    for (const uint16_t port : cage.ports) rules.allowConnecting(port);
    for (const std::string& path : cage.readable) rules.allow(path, FileAccess::Read);
    for (const std::string& path : cage.writable) rules.allow(path, FileAccess::Write);
    for (const std::string& path : cage.devices) rules.allow(path, FileAccess::Device);
    for (const std::string& path : cage.executable) rules.allow(path, FileAccess::Execute);
    return rules.enforce();
}

}  // namespace

Result<Enforced> enter(const Cage& cage) {
    Enforced enforced;
    if (cage.sockets == Sockets::Local) INGLE_TRY(denyInternetSockets());
    // Before the files: where the kernel refuses this one, another cage may follow.
    INGLE_TRY_ASSIGN(enforced.connectRequests, filterCalls(cage.sockets, cage.programs, cage.calls));
    enforced.sockets = true;
    if (cage.restrictsFiles && restrictFiles(cage)) enforced.landlock = Landlock::version();
    if (!cage.isDumpable) keepOutOfDumps();
    return enforced;
}

Enforced enforceable() {
    // PR_GET_SECCOMP fails where the kernel has none.
    return {.sockets = ::prctl(PR_GET_SECCOMP) >= 0, .landlock = Landlock::version()};
}

bool canAskForConnections() {
    const uint32_t action = SECCOMP_RET_USER_NOTIF;
    return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

std::string lacking(const Enforced& enforced) {
    if (!enforced.sockets) return "This kernel cannot filter system calls (seccomp).";
    if (enforced.landlock == 0)
        return "This kernel cannot restrict files (Landlock): code that took over the engine could read "
               "yours.";
    return {};
}

}  // namespace ingle::sandbox
