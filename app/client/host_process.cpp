#include "app/client/host_process.h"
#include "ingle/error_ids.h"
#include "ingle/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <utility>

namespace ingle::client {
namespace {

constexpr std::string_view kHostMissing =
    "The engine program “ingle” was not found next to Inglenook; please install Inglenook again.";

// glibc 2.36 declares its own functions for C only.
int openProcess(pid_t pid) {
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

}  // namespace

Result<std::unique_ptr<HostProcess>> HostProcess::start(const HostCommand& command) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return fail(ErrorCode::Io, "Cannot make a socket for the engine: {}.", std::strerror(errno));
    }
    FileDescriptor ours(ends[0]);
    const FileDescriptor theirs(ends[1]);
    ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);

    pid_t pid = 0;
    const int code = spawn({.program = command.program,
                            .arguments = command.arguments,
                            .input = theirs.get(),
                            .output = theirs.get()},
                           pid);
    if (code == ENOENT || code == EACCES)
        return withId<ErrorId::HostMissing>(fail(ErrorCode::Io, kHostMissing));
    if (code != 0) return fail(ErrorCode::Io, "Cannot start {}: {}.", command.program, std::strerror(code));
    FileDescriptor process(openProcess(pid));
    if (!process.isOpen()) {
        const int reason = errno;
        endChild(pid);
        ::waitpid(pid, nullptr, 0);
        return fail(ErrorCode::Io, "Cannot watch {}: {}.", command.program, std::strerror(reason));
    }
    return std::unique_ptr<HostProcess>(new HostProcess(pid, std::move(ours), std::move(process)));
}

HostProcess::HostProcess(pid_t pid, FileDescriptor socket, FileDescriptor process)
    : m_pid(pid), m_socket(std::move(socket)), m_process(std::move(process)) {}

HostProcess::~HostProcess() {
    if (!m_process.isOpen()) return;
    HostProcess::kill();
    HostProcess::takeEnd();
}

void HostProcess::closeInput() {
    ::shutdown(m_socket.get(), SHUT_WR);
}

void HostProcess::kill() {
    if (theStarter) return theStarter->end(m_pid);
    // The descriptor, unlike the number, can never mean another process.
    ::syscall(SYS_pidfd_send_signal, m_process.get(), SIGKILL, nullptr, 0);
}

std::optional<HostEnd> HostProcess::takeEnd() {
    siginfo_t info{};
    const int code = ::waitid(P_PIDFD, static_cast<id_t>(m_process.get()), &info, WEXITED | WNOHANG);
    // ECHILD: it ended, and how was told to somebody else (or to nobody, where the process ignores SIGCHLD).
    if (code != 0 ? errno != ECHILD : info.si_pid == 0) return std::nullopt;
    if (code != 0) info.si_code = CLD_EXITED;
    m_process = {};
    return HostEnd{info.si_code == CLD_EXITED ? HostEnd::How::Exit : HostEnd::How::Signal, info.si_status};
}

bool HostProcess::waitForEnd(std::chrono::milliseconds limit) const {
    pollfd ended{m_process.get(), POLLIN, 0};
    return ::poll(&ended, 1, static_cast<int>(limit.count())) == 1;
}

OpenHost startedBy(HostCommand command) {
    return [command = std::move(command)]() -> Result<std::unique_ptr<Host>> {
        INGLE_TRY_ASSIGN(auto started, HostProcess::start(command));
        return started;
    };
}

}  // namespace ingle::client
