#include "app/cli/guarded_load.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace ingle::cli {
namespace {

/// In the copy: a pipe to the process, which is told of the end by a byte. -1: nothing is guarded.
std::atomic<int> toProcess = -1;

/// Whether a copy that was still loading ended so by itself.
bool isCrash(int status) {
    if (WIFEXITED(status)) return true;
    const int signal = WTERMSIG(status);
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
           signal == SIGABRT || signal == SIGTRAP || signal == SIGSYS;
}

[[noreturn]] void endLike(int status) {
    if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
    const int signal = WTERMSIG(status);
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    ::_exit(128 + signal);
}

volatile pid_t waitedFor = 0;

/// Passes signals that mean the command on to the copy. Those of the terminal go to both anyway.
class SignalsPassedOn {
  public:
    explicit SignalsPassedOn(pid_t copy) {
        waitedFor = copy;
        struct sigaction action {};
        action.sa_flags = SA_SIGINFO;
        action.sa_sigaction = [](int signal, siginfo_t* info, void*) {
            const bool isOfProcess = info->si_code <= 0;
            if (isOfProcess) ::kill(waitedFor, signal);
        };
        for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &m_before[i]);
    }
    ~SignalsPassedOn() {
        for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &m_before[i], nullptr);
    }
    SignalsPassedOn(const SignalsPassedOn&) = delete;
    SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

  private:
    static constexpr std::array kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    std::array<struct sigaction, kSignals.size()> m_before{};
};

}  // namespace

GuardedLoad::GuardedLoad() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    std::fflush(nullptr);
    ::signal(SIGCHLD, SIG_DFL);  // whoever started this may have it ignored, and so how children end
    const pid_t process = ::getpid();
    const pid_t copy = ::fork();
    if (copy == 0) {
        // Whoever ends the process means both.
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() != process) ::_exit(1);
        toProcess = ends[1];
    } else {
        ::close(ends[1]);
        if (copy > 0) waitFor(copy, ends[0]);
    }
    ::close(ends[0]);
}

void GuardedLoad::waitFor(pid_t copy, int end) {
    const SignalsPassedOn untilTheEnd(copy);
    int status = 0;
    while (::waitpid(copy, &status, 0) < 0) {
        if (errno != EINTR) ::_exit(1);
    }
    char byte = 0;
    if (::read(end, &byte, 1) == 1 || !isCrash(status)) endLike(status);
    m_crashed = static_cast<uint32_t>(copy);
}

void GuardedLoad::end() {
    const int pipe = toProcess.exchange(-1);
    if (pipe < 0) return;
    [[maybe_unused]] const auto written = ::write(pipe, "E", 1);
    ::close(pipe);
}

}  // namespace ingle::cli
