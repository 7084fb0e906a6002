#include "app/documents/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include "app/documents/refusals.h"
#include "ingle/file_descriptor.h"

namespace ingle::documents {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kGlanceMs = 50;  // between questions whether somebody cancelled

struct SpawnSettings {
    SpawnSettings() {
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
    }
    ~SpawnSettings() {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

/// A child that is killed and waited for at the end of its life, unless its end was seen before.
class Child {
  public:
    explicit Child(pid_t pid) : m_pid(pid) {}
    ~Child() {
        if (m_pid == 0) return;
        ::kill(m_pid, SIGKILL);
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

std::optional<pid_t> start(const std::string& program, int file, int output, const std::string& name) {
    SpawnSettings settings;
    ::posix_spawn_file_actions_adddup2(&settings.actions, file, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&settings.actions, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&settings.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&settings.actions, STDERR_FILENO + 1);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&settings.attributes, &none);
    ::posix_spawnattr_setsigdefault(&settings.attributes, &all);
    ::posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::array arguments{const_cast<char*>(program.c_str()), const_cast<char*>(name.c_str()),
                         static_cast<char*>(nullptr)};
    // Nothing of ours is in its environment either.
    std::array environment{static_cast<char*>(nullptr)};
    pid_t pid = 0;
    const int code = ::posix_spawn(&pid, program.c_str(), &settings.actions, &settings.attributes,
                                   arguments.data(), environment.data());
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

Result<std::string> runReader(const std::string& program, int file, const std::string& name,
                              const ReadOptions& options) {
    const Clock::time_point deadline = Clock::now() + options.patience;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return refuse(Refusal::ReaderFailed);
    const FileDescriptor ours(ends[0]);
    std::optional<pid_t> pid;
    {
        const FileDescriptor theirs(ends[1]), input = raised(file), output = raised(ends[1]);
        if (input.isOpen() && output.isOpen()) pid = start(program, input.get(), output.get(), name);
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
        if (answer.size() > limits::kAnswerBytes) return refuse(Refusal::ReaderFailed);
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
