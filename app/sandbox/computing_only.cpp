#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "app/sandbox/sandbox.h"

namespace ingle::sandbox {
namespace {

constexpr uint32_t kOtherwise = SCMP_ACT_ERRNO(EACCES);

/// What is open already is read and written; memory, time and chance; and the end, also the bad one.
constexpr int kAllowed[] = {
    SCMP_SYS(read),         SCMP_SYS(write),          SCMP_SYS(lseek),           SCMP_SYS(close),
    SCMP_SYS(brk),          SCMP_SYS(munmap),         SCMP_SYS(mremap),          SCMP_SYS(madvise),
    SCMP_SYS(futex),        SCMP_SYS(sched_yield),    SCMP_SYS(restart_syscall), SCMP_SYS(clock_gettime),
    SCMP_SYS(gettimeofday), SCMP_SYS(time),           SCMP_SYS(getrandom),       SCMP_SYS(sysinfo),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction),    SCMP_SYS(getpid),
    SCMP_SYS(gettid),       SCMP_SYS(exit),           SCMP_SYS(exit_group),
};

/// Of these, those that make no memory executable.
constexpr int kAllowedWithoutCode[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};

int allowAndLoad(scmp_filter_ctx filter) {
    // Calls of a foreign architecture (ia32, x32) have other numbers and could pass the rules below.
    if (const int code = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS); code != 0)
        return code;
    if (const int code = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1); code != 0) return code;
    for (const int call : kAllowed) {
        if (const int code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0); code != 0) return code;
    }
    constexpr scmp_arg_cmp kWithoutCode{2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0};
    for (const int call : kAllowedWithoutCode) {
        if (const int code = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &kWithoutCode);
            code != 0)
            return code;
    }
    // abort() sends itself a signal.
    const scmp_arg_cmp toItself{0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid()), 0};
    if (const int code = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &toItself);
        code != 0)
        return code;
    return seccomp_load(filter);
}

}  // namespace

Status allowOnlyComputing() {
    const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(kOtherwise),
                                                                   &seccomp_release);
    const int code = filter ? allowAndLoad(filter.get()) : -ENOMEM;
    if (code != 0)
        return fail(ErrorCode::Device, "The kernel refused the filter that locks this process: {}.",
                    std::strerror(-code));
    return {};
}

}  // namespace ingle::sandbox
