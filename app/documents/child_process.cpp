#include "app/documents/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include "app/documents/refusals.h"
#include "ingle/file_descriptor.h"
#include "ingle/spawn.h"

namespace ingle::documents {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kGlanceMs = 50;  // between questions whether somebody cancelled

/// A child that is killed and waited for at the end of its life, unless its end was seen before.
class Child {
  public:
    explicit Child(pid_t pid) : m_pid(pid) {}
    ~Child() {
        if (m_pid == 0) return;
        endChild(m_pid);
        waitForEnd();
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Its status as waitpid() tells it; nothing where it still runs. -1: nobody knows, since this program
    /// ignores the ends of its children.
    std::optional<int> takeEnd() {
        int status = 0;
        const pid_t ended = ::waitpid(m_pid, &status, WNOHANG);
        if (ended == 0 || (ended < 0 && errno == EINTR)) return std::nullopt;
        m_pid = 0;
        return ended < 0 ? -1 : status;
    }

  private:
    void waitForEnd() const {
        while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    pid_t m_pid;
};

std::optional<pid_t> start(const std::string& program, int file, int output,
                           const std::vector<std::string>& arguments) {
    pid_t pid = 0;
    const int code = spawn({.program = program,
                            .arguments = arguments,
                            .input = file,
                            .output = output,
                            .errors = Start::kNothing,
                            .isAlone = true},
                           pid);
    return code == 0 ? std::optional(pid) : std::nullopt;
}

/// Descriptors above the three standard ones, which are then overwritten in any order.
FileDescriptor raised(int fd) {
    return FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

/// Why to give up now, if there is a reason.
std::optional<Refusal> reasonToEnd(const ReadOptions& options, Clock::time_point deadline) {
    if (options.isCancelled()) return Refusal::Cancelled;
    if (Clock::now() >= deadline) return Refusal::ReaderTooSlow;
    return std::nullopt;
}

}  // namespace

Result<std::string> runReader(const std::string& program, int file, const std::vector<std::string>& arguments,
                              const ReadOptions& options, size_t mostBytes) {
    const Clock::time_point deadline = Clock::now() + options.patience;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return refuse(Refusal::ReaderFailed);
    const FileDescriptor ours(ends[0]);
    std::optional<pid_t> pid;
    {
        const FileDescriptor theirs(ends[1]), input = raised(file), output = raised(ends[1]);
        if (input.isOpen() && output.isOpen()) pid = start(program, input.get(), output.get(), arguments);
    }
    if (!pid) return refuse(Refusal::ReaderMissing);
    Child child(*pid);

    std::string answer;
    std::array<char, 65536> buffer;
    for (bool isOpen = true; isOpen;) {
        if (const auto reason = reasonToEnd(options, deadline)) return refuse(*reason);
        pollfd ready{ours.get(), POLLIN, 0};
        if (::poll(&ready, 1, kGlanceMs) <= 0) continue;
        const ssize_t count = ::read(ours.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        isOpen = count > 0;
        if (isOpen) answer.append(buffer.data(), static_cast<size_t>(count));
        if (answer.size() > mostBytes) return refuse(Refusal::ReaderFailed);
    }
    for (;;) {
        if (const auto status = child.takeEnd()) {
            if (*status == -1 || *status == 0) return answer;
            const bool ranOutOfTime = WIFSIGNALED(*status) && WTERMSIG(*status) == SIGXCPU;
            return refuse(ranOutOfTime ? Refusal::ReaderTooSlow : Refusal::ReaderFailed);
        }
        if (const auto reason = reasonToEnd(options, deadline)) return refuse(*reason);
        ::poll(nullptr, 0, 1);
    }
}

}  // namespace ingle::documents
