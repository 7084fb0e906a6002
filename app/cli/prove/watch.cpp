#include "app/cli/prove/watch.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "ingle/file_descriptor.h"

namespace ingle::cli::prove {
namespace {

namespace fs = std::filesystem;

#ifdef __x86_64__

constexpr int kLandlockRestrictSelf = 446;
constexpr size_t kLongestPath = 4096;
constexpr size_t kPage = 4096;

using Arguments = __u64[6];

/// How a call names the file that it is about.
enum class Names : uint8_t {
    Path,      ///< argument 0
    PathAt,    ///< argument 1, from the folder of argument 0
    TwoPaths,  ///< arguments 0 and 1
    TwoAt,     ///< arguments 1 and 3, from the folders of arguments 0 and 2
};

/// Calls that change what files there are.
struct Change {
    long call;
    Names names;
};
constexpr Change kChanges[] = {
    {SYS_unlink, Names::Path},     {SYS_rmdir, Names::Path},     {SYS_mkdir, Names::Path},
    {SYS_truncate, Names::Path},   {SYS_mknod, Names::Path},     {SYS_chmod, Names::Path},
    {SYS_rename, Names::TwoPaths}, {SYS_link, Names::TwoPaths},  {SYS_symlink, Names::TwoPaths},
    {SYS_unlinkat, Names::PathAt}, {SYS_mkdirat, Names::PathAt}, {SYS_mknodat, Names::PathAt},
    {SYS_fchmodat, Names::PathAt}, {SYS_renameat, Names::TwoAt}, {SYS_renameat2, Names::TwoAt},
    {SYS_linkat, Names::TwoAt},
};

/// Calls that write bytes, and the argument that holds the descriptor.
struct Writing {
    long call;
    int descriptor;
};
constexpr Writing kWritings[] = {
    {SYS_write, 0},    {SYS_pwrite64, 0}, {SYS_writev, 0},          {SYS_pwritev, 0},
    {SYS_pwritev2, 0}, {SYS_sendfile, 0}, {SYS_copy_file_range, 2}, {SYS_splice, 2},
};

struct Intrusion {
    long call;
    const char* name;
};
constexpr Intrusion kIntrusions[] = {
    {SYS_ptrace, "ptrace"},
    {SYS_process_vm_readv, "process_vm_readv"},
    {SYS_process_vm_writev, "process_vm_writev"},
    {SYS_pidfd_getfd, "pidfd_getfd"},
};

/// A call that began.
struct Begun {
    long call = -1;
    Arguments arguments{};
};

std::string linkOf(pid_t thread, const std::string& what) {
    std::error_code error;
    return fs::read_symlink(fmt::format("/proc/{}/{}", thread, what), error).string();
}

std::string familyName(int family) {
    switch (family) {
        case AF_UNIX:
            return "local programs";
        case AF_NETLINK:
            return "the kernel (netlink)";
        case AF_INET:
            return "internet (IPv4)";
        case AF_INET6:
            return "internet (IPv6)";
        default:
            return fmt::format("other (family {})", family);
    }
}

class Watcher {
  public:
    explicit Watcher(pid_t first) : m_first(first) {}

    /// Until nobody is left.
    Record run() {
        for (;;) {
            int status = 0;
            const pid_t thread = ::waitpid(-1, &status, __WALL);
            if (thread < 0 && errno == EINTR) continue;
            if (thread < 0) return std::move(m_record);
            if (WIFEXITED(status) || WIFSIGNALED(status)) {
                ended(thread, status);
            } else if (WIFSTOPPED(status)) {
                stopped(thread, status);
            }
        }
    }

  private:
    void ended(pid_t thread, int status) {
        if (thread == m_first) m_record.exitStatus = status;
        m_begun.erase(thread);
        m_processes.erase(thread);
    }

    void stopped(pid_t thread, int status) {
        const int signal = WSTOPSIG(status);
        const int event = status >> 16;
        int handedOn = 0;
        auto request = PTRACE_SYSCALL;
        if (signal == (SIGTRAP | 0x80)) {
            call(thread);
        } else if (event == PTRACE_EVENT_EXEC) {
            started(thread);
        } else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
            request = PTRACE_LISTEN;  // a stop of the whole process, which another one ends
        } else if (event == 0) {
            handedOn = signal;
        }
        ::ptrace(request, thread, nullptr, handedOn);
    }

    /// Of the process that a thread belongs to.
    Process& processOf(pid_t thread) {
        const auto [known, isNew] = m_processes.try_emplace(thread, 0);
        if (isNew) {
            const auto process = static_cast<pid_t>(numberIn(thread, "Tgid"));
            m_record.processIds.insert(process);
            const auto ofOthers = m_processes.find(process);
            if (process != thread && ofOthers != m_processes.end()) {
                known->second = ofOthers->second;
            } else {
                known->second = m_record.processes.size();
                m_record.processes.push_back(look(thread));
                // Restrictions are inherited.
                const auto parent = m_processes.find(static_cast<pid_t>(numberIn(thread, "PPid")));
                if (parent != m_processes.end())
                    m_record.processes.back().filesAreRestricted =
                        m_record.processes[parent->second].filesAreRestricted;
            }
        }
        return m_record.processes[known->second];
    }
    static std::string argument(pid_t thread) {
        std::ifstream file(fmt::format("/proc/{}/cmdline", thread), std::ios::binary);
        std::string word;
        std::getline(file, word, '\0');
        std::getline(file, word, '\0');
        return word.starts_with("-") ? std::string() : word;
    }
    static long numberIn(pid_t thread, const std::string& name) {
        std::ifstream file(fmt::format("/proc/{}/status", thread));
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with(name + ":")) return std::atol(line.c_str() + name.size() + 1);
        }
        return 0;
    }
    static Process look(pid_t thread) {
        return {linkOf(thread, "exe"), argument(thread), numberIn(thread, "Seccomp") == 2, false};
    }
    /// Another program in the same process.
    void started(pid_t thread) {
        Process& process = processOf(thread);
        const bool filesAreRestricted = process.filesAreRestricted;
        process = look(thread);
        process.filesAreRestricted = filesAreRestricted;
    }

    void call(pid_t thread) {
        __ptrace_syscall_info info{};
        if (::ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) return;
        Begun& begun = m_begun[thread];
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
            ++m_record.calls;
            begun.call = static_cast<long>(info.entry.nr);
            std::copy_n(info.entry.args, 6, begun.arguments);
            processOf(thread);
            if (begun.call == SYS_prctl && begun.arguments[0] == PR_SET_DUMPABLE) keepReadable(thread);
        } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && begun.call >= 0) {
            finished(thread, begun, info.exit.rval);
            begun.call = -1;
        }
    }

    /// Whoever keeps its memory secret could not be watched.
    static void keepReadable(pid_t thread) {
        user_regs_struct registers{};
        if (::ptrace(PTRACE_GETREGS, thread, nullptr, &registers) != 0) return;
        registers.rsi = 1;
        ::ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    }

    void finished(pid_t thread, const Begun& begun, int64_t result) {
        const auto& [call, arguments] = begun;
        switch (call) {
            case SYS_open:
            case SYS_creat:
                return opened(thread, AT_FDCWD, arguments[0],
                              call == SYS_creat ? O_WRONLY | O_CREAT : arguments[1], result);
            case SYS_openat:
                return opened(thread, static_cast<int>(arguments[0]), arguments[1], arguments[2], result);
            case SYS_openat2:
                return opened(thread, static_cast<int>(arguments[0]), arguments[1],
                              flagsAt(thread, arguments[2]), result);
            case SYS_socket:
            case SYS_socketpair:
                return count(m_record.sockets[familyName(static_cast<int>(arguments[0]))], result);
            case SYS_connect:
                return addressed(thread, arguments[1], arguments[2], result);
            case SYS_sendto:
                if (arguments[4] != 0) addressed(thread, arguments[4], arguments[5], result);
                return;
            case SYS_io_uring_setup:
                return count(m_record.sockets["io_uring, which can open any"], result);
            case SYS_seccomp:
            case SYS_prctl:
                processOf(thread).callsAreFiltered = numberIn(thread, "Seccomp") == 2;
                return;
            case kLandlockRestrictSelf:
                if (result == 0) processOf(thread).filesAreRestricted = true;
                return;
            default:
                break;
        }
        for (const Writing& writing : kWritings) {
            if (writing.call == call && result > 0)
                wrote(thread, arguments[writing.descriptor], static_cast<uint64_t>(result));
        }
        for (const Change& change : kChanges) {
            if (change.call == call) changed(thread, change.names, arguments, result);
        }
        for (const Intrusion& intrusion : kIntrusions) {
            if (intrusion.call == call) count(m_record.intrusions[intrusion.name], result);
        }
    }

    static void count(Tries& tries, int64_t result) { ++(result < 0 ? tries.refused : tries.done); }
    /// Whether the kernel did not let it, rather than that there was nothing.
    static bool isRefused(int64_t result) { return result == -EACCES || result == -EPERM; }

    void opened(pid_t thread, int folder, __u64 path, __u64 flags, int64_t result) {
        if (result < 0 && !isRefused(result)) return;
        const std::string name =
            result < 0 ? pathAt(thread, folder, path) : linkOf(thread, fmt::format("fd/{}", result));
        if (name.empty()) ++m_record.unnamed;
        const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
        if (!name.empty()) count((writes ? m_record.opened : m_record.read)[name], result);
    }
    void wrote(pid_t thread, __u64 descriptor, uint64_t bytes) {
        const std::string name = linkOf(thread, fmt::format("fd/{}", static_cast<int>(descriptor)));
        if (name.starts_with('/')) m_record.written[name] += bytes;
    }
    void changed(pid_t thread, Names names, const Arguments& arguments, int64_t result) {
        if (result < 0 && !isRefused(result)) return;
        const bool isAt = names == Names::PathAt || names == Names::TwoAt;
        const auto note = [&](int folder, __u64 path) {
            const std::string name = pathAt(thread, folder, path);
            if (name.empty()) ++m_record.unnamed;
            if (!name.empty()) count(m_record.opened[name], result);
        };
        note(isAt ? static_cast<int>(arguments[0]) : AT_FDCWD, arguments[isAt ? 1 : 0]);
        if (names == Names::TwoPaths) note(AT_FDCWD, arguments[1]);
        if (names == Names::TwoAt) note(static_cast<int>(arguments[2]), arguments[3]);
    }
    void addressed(pid_t thread, __u64 at, __u64 length, int64_t result) {
        sockaddr_storage address{};
        if (!read(thread, at, &address, std::min<size_t>(length, sizeof address))) {
            ++m_record.unnamed;
            return;
        }
        if (result == -EINPROGRESS) result = 0;
        std::string name = familyName(address.ss_family);
        if (address.ss_family == AF_UNIX) {
            const auto& local = reinterpret_cast<const sockaddr_un&>(address);
            const size_t bytes =
                length > offsetof(sockaddr_un, sun_path)
                    ? std::min<size_t>(length - offsetof(sockaddr_un, sun_path), sizeof local.sun_path)
                    : 0;
            const bool isAbstract = bytes > 0 && local.sun_path[0] == '\0';
            const std::string path(local.sun_path + (isAbstract ? 1 : 0),
                                   isAbstract ? bytes - 1 : ::strnlen(local.sun_path, bytes));
            name += " at " + (isAbstract ? "@" + path : path);
        }
        count(m_record.sockets["connection to " + name], result);
    }

    static bool read(pid_t thread, __u64 from, void* to, size_t bytes) {
        const iovec ours{to, bytes};
        const iovec theirs{reinterpret_cast<void*>(from), bytes};
        return ::process_vm_readv(thread, &ours, 1, &theirs, 1, 0) == static_cast<ssize_t>(bytes);
    }
    static __u64 flagsAt(pid_t thread, __u64 how) {
        open_how described{};
        return read(thread, how, &described, sizeof described) ? described.flags : O_RDWR;
    }
    /// A text that ends with a zero; empty when it cannot be read.
    static std::string textAt(pid_t thread, __u64 at) {
        std::string text;
        while (text.size() < kLongestPath) {
            char part[kPage];
            const size_t bytes = kPage - at % kPage;  // what follows may not be there
            if (!read(thread, at, part, bytes)) return {};
            const size_t length = ::strnlen(part, bytes);
            text.append(part, length);
            if (length < bytes) break;
            at += bytes;
        }
        return text;
    }
    static std::string pathAt(pid_t thread, int folder, __u64 path) {
        const std::string name = textAt(thread, path);
        if (name.empty() || name.starts_with('/')) return fs::path(name).lexically_normal().string();
        const std::string from = linkOf(thread, folder == AT_FDCWD ? "cwd" : fmt::format("fd/{}", folder));
        return from.empty() ? std::string() : (fs::path(from) / name).lexically_normal().string();
    }

    const pid_t m_first;
    Record m_record;
    std::unordered_map<pid_t, Begun> m_begun;       ///< by thread
    std::unordered_map<pid_t, size_t> m_processes;  ///< by thread; into m_record.processes
};

constexpr long kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                          PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;

}  // namespace

Result<Record> watch(const std::function<int()>& work) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorCode::Io, "no pipe: {}", std::strerror(errno));
    std::optional<FileDescriptor> ready(ends[0]);
    std::optional<FileDescriptor> start(ends[1]);
    const pid_t child = ::fork();
    if (child < 0) return fail(ErrorCode::Io, "no process can be started: {}", std::strerror(errno));
    if (child == 0) {
        start.reset();
        char byte = 0;
        const bool isWatched = ::read(ready->get(), &byte, 1) == 1;
        ready.reset();
        ::_exit(isWatched ? work() : 1);
    }
    ready.reset();
    if (::ptrace(PTRACE_SEIZE, child, nullptr, kOptions) != 0 ||
        ::ptrace(PTRACE_INTERRUPT, child, 0, 0) != 0) {
        const int reason = errno;
        start.reset();
        ::waitpid(child, nullptr, 0);
        return fail(
            ErrorCode::Io,
            "this system allows no program to watch another ({}); see /proc/sys/kernel/yama/ptrace_scope",
            std::strerror(reason));
    }
    if (::write(start->get(), "", 1) != 1) return fail(ErrorCode::Io, "the watched process is gone");
    start.reset();
    return Watcher(child).run();
}

#else

}  // namespace

Result<Record> watch(const std::function<int()>&) {
    return fail(ErrorCode::Unsupported, "system calls are watched on x86-64 only");
}

#endif

}  // namespace ingle::cli::prove
