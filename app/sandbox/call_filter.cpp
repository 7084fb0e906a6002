#include "app/sandbox/call_filter.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>

namespace ingle::sandbox {
namespace {

constexpr uint32_t kDenied = SCMP_ACT_ERRNO(EACCES);
constexpr uint32_t kUnknown = SCMP_ACT_ERRNO(ENOSYS);

// Calls that the headers of libseccomp 2.5 do not know have the same number on every architecture.
constexpr int kMemfdSecret = 447, kProcessMrelease = 448, kFchmodat2 = 452, kSetxattrat = 463,
              kOpenTreeAttr = 467;

/// To look into other processes.
constexpr int kOtherProcesses[] = {
    SCMP_SYS(ptrace),          SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise), SCMP_SYS(pidfd_getfd),      SCMP_SYS(kcmp),
    SCMP_SYS(perf_event_open), SCMP_SYS(fanotify_init),    kProcessMrelease,
};
/// Parts of the kernel that nothing here needs, and that attackers of kernels like.
constexpr int kKernel[] = {
    SCMP_SYS(bpf),         SCMP_SYS(userfaultfd),    SCMP_SYS(keyctl),         SCMP_SYS(add_key),
    SCMP_SYS(request_key), SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
    SCMP_SYS(syslog),      SCMP_SYS(modify_ldt),     SCMP_SYS(init_module),    SCMP_SYS(finit_module),
    SCMP_SYS(kexec_load),  SCMP_SYS(acct),           SCMP_SYS(swapon),         SCMP_SYS(swapoff),
    SCMP_SYS(quotactl),    SCMP_SYS(lookup_dcookie), SCMP_SYS(vmsplice),       SCMP_SYS(personality),
};
/// Namespaces and mounts.
constexpr int kNamespaces[] = {
    SCMP_SYS(unshare),       SCMP_SYS(setns),
    SCMP_SYS(mount),         SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),    SCMP_SYS(chroot),
    SCMP_SYS(fsopen),        SCMP_SYS(fsconfig),
    SCMP_SYS(fsmount),       SCMP_SYS(fspick),
    SCMP_SYS(open_tree),     SCMP_SYS(move_mount),
    SCMP_SYS(mount_setattr), SCMP_SYS(open_by_handle_at),
    kOpenTreeAttr,
};
/// Files without names: memory that has a descriptor.
constexpr int kMemoryFiles[] = {SCMP_SYS(memfd_create)};
/// Secret memory, what processes share, and being told of what others do with files.
constexpr int kAroundFiles[] = {
    SCMP_SYS(inotify_init), SCMP_SYS(inotify_init1), kMemfdSecret,      SCMP_SYS(shmget),
    SCMP_SYS(shmat),        SCMP_SYS(shmctl),        SCMP_SYS(semget),  SCMP_SYS(semop),
    SCMP_SYS(semtimedop),   SCMP_SYS(semctl),        SCMP_SYS(msgget),  SCMP_SYS(msgsnd),
    SCMP_SYS(msgrcv),       SCMP_SYS(msgctl),        SCMP_SYS(mq_open), SCMP_SYS(mq_unlink),
};
/// Owners, rights and marks of files, which Landlock leaves alone, and their length, which it does before
/// version 3.
constexpr int kFileRights[] = {
    SCMP_SYS(truncate), SCMP_SYS(chmod),       SCMP_SYS(fchmod),       SCMP_SYS(fchmodat),
    kFchmodat2,         SCMP_SYS(chown),       SCMP_SYS(fchown),       SCMP_SYS(lchown),
    SCMP_SYS(fchownat), SCMP_SYS(setxattr),    SCMP_SYS(lsetxattr),    SCMP_SYS(fsetxattr),
    kSetxattrat,        SCMP_SYS(removexattr), SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr),
    SCMP_SYS(utime),    SCMP_SYS(utimes),      SCMP_SYS(futimesat),
};
constexpr int kNewSockets[] = {SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen)};
constexpr int kMoreSockets[] = {SCMP_SYS(socketpair), SCMP_SYS(accept), SCMP_SYS(accept4)};
constexpr int kNewProcesses[] = {
    SCMP_SYS(fork), SCMP_SYS(vfork),      SCMP_SYS(execve),           SCMP_SYS(execveat),
    SCMP_SYS(kill), SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_send_signal)};

constexpr uint64_t kLowerHalf = 0xffffffff;
constexpr uint64_t kTypeBits = 0xf;  // of a socket; the others are flags
constexpr int kFamilies = 64;        // of sockets; Linux has 46

class Rules {
  public:
    Rules() : m_filter(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release) {
        if (!m_filter) m_code = -ENOMEM;
    }

    void set(scmp_filter_attr attribute, uint32_t value) {
        if (m_code == 0) m_code = seccomp_attr_set(m_filter.get(), attribute, value);
    }
    void refuse(std::span<const int> calls) {
        for (const int call : calls) add(kDenied, call);
    }
    void add(uint32_t action, int call) {
        if (m_code == 0) m_code = seccomp_rule_add_array(m_filter.get(), action, call, 0, nullptr);
    }
    void refuseWhere(int call, scmp_arg_cmp argument, uint32_t action = kDenied) {
        if (m_code == 0) m_code = seccomp_rule_add_array(m_filter.get(), action, call, 1, &argument);
    }
    /// As the kernel does, by the lower half of the argument: the upper one may hold anything.
    void refuseValue(int call, unsigned argument, uint64_t value) {
        refuseWhere(call, {argument, SCMP_CMP_MASKED_EQ, kLowerHalf, value});
    }
    int load() {
        if (m_code == 0) m_code = seccomp_load(m_filter.get());
        return m_code;
    }
    /// By which the kernel asks about what SCMP_ACT_NOTIFY was added for.
    int requests() const { return seccomp_notify_fd(m_filter.get()); }

  private:
    std::unique_ptr<void, decltype(&seccomp_release)> m_filter;
    int m_code = 0;
};

void refuseProcesses(Rules& rules, Programs programs) {
    // A thread shares everything with the process. glibc makes threads by clone() where there is no clone3(),
    // whose arguments no filter sees.
    rules.add(kUnknown, SCMP_SYS(clone3));
    rules.refuseWhere(SCMP_SYS(clone), {0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0});
    for (const int call : kNewProcesses) {
        const bool isWaiting = call == SCMP_SYS(pidfd_open) && programs == Programs::Asked;
        if (call != SCMP_SYS(kill) && !isWaiting) rules.add(kDenied, call);
    }
    const auto self = static_cast<uint64_t>(::getpid());
    // Whatever is not exactly this process, as a number of 64 bits, is another one.
    for (const int call :
         {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)})
        rules.refuseWhere(call, {0, SCMP_CMP_NE, self});
    rules.add(kDenied, SCMP_SYS(tkill));
}

/// All but local streams: a datagram goes to whom it names, without connect().
void refuseOtherSockets(Rules& rules) {
    for (const int call : {SCMP_SYS(socket), SCMP_SYS(socketpair)}) {
        for (int bit = 0; bit < 32; ++bit)
            if (const uint64_t value = uint64_t{1} << bit; value != AF_UNIX)
                rules.refuseWhere(call, {0, SCMP_CMP_MASKED_EQ, value, value});
        rules.refuseValue(call, 0, AF_UNSPEC);
        for (uint64_t type = 0; type <= kTypeBits; ++type)
            if (type != SOCK_STREAM) rules.refuseWhere(call, {1, SCMP_CMP_MASKED_EQ, kTypeBits, type});
    }
}

void fill(Rules& rules, Sockets sockets, Programs programs, Calls calls) {
    // Calls of a foreign architecture (ia32, x32) have other numbers and could pass the rules below.
    rules.set(SCMP_FLTATR_ACT_BADARCH, kDenied);
    rules.set(SCMP_FLTATR_CTL_TSYNC, 1);
    rules.set(SCMP_FLTATR_CTL_OPTIMIZE, 2);
    for (const auto refused : {std::span<const int>(kOtherProcesses), std::span<const int>(kKernel),
                               std::span<const int>(kNamespaces)})
        rules.refuse(refused);
    if (calls == Calls::Few) rules.refuse(kMemoryFiles);
    if (calls == Calls::Few || calls == Calls::Drivers) rules.refuse(kAroundFiles);
    if (calls != Calls::Desktop) {
        rules.refuse(kFileRights);
        // By name; by descriptor it is the time of a file that is open already.
        rules.refuseWhere(SCMP_SYS(utimensat), {1, SCMP_CMP_NE, 0});
    }
    // Somebody else would get signals, or input.
    for (const int command : {F_SETOWN, F_SETOWN_EX, F_SETSIG})
        rules.refuseValue(SCMP_SYS(fcntl), 1, command);
    for (const int request : {TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP})
        rules.refuseValue(SCMP_SYS(ioctl), 1, static_cast<uint64_t>(request));
    // Limits of others.
    rules.refuseWhere(SCMP_SYS(prlimit64), {0, SCMP_CMP_NE, 0});
    if (sockets == Sockets::None || sockets == Sockets::Pairs) rules.refuse(kNewSockets);
    if (sockets == Sockets::None) rules.refuse(kMoreSockets);
    if (sockets == Sockets::Asked) {
        refuseOtherSockets(rules);
        rules.add(SCMP_ACT_NOTIFY, SCMP_SYS(connect));
    }
    if (sockets == Sockets::Connecting) {
        for (int family = 0; family < kFamilies; ++family)
            if (family != AF_INET && family != AF_INET6 && family != AF_NETLINK)
                rules.refuseValue(SCMP_SYS(socket), 0, static_cast<uint64_t>(family));
    }
    if (programs != Programs::Any) refuseProcesses(rules, programs);
}

}  // namespace

Result<int> filterCalls(Sockets sockets, Programs programs, Calls calls) {
    Rules rules;
    fill(rules, sockets, programs, calls);
    if (const int code = rules.load(); code != 0)
        return fail(ErrorCode::Device, "The kernel refused the filter that cages this process: {}.",
                    std::strerror(-code));
    return sockets == Sockets::Asked ? rules.requests() : -1;
}

}  // namespace ingle::sandbox
