/// `ingle`: the command line. Exit codes: 0 done, 1 failed (one line on stderr), 2 wrong usage.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "app/cli/command_line.h"
#include "app/cli/guarded_load.h"
#include "app/sandbox/sandbox.h"
#include "ingle/devices.h"

namespace {

int report(const ingle::Error& error) {
    std::string line = error.message;
    std::ranges::replace(line, '\n', ' ');
    fmt::print(stderr, "ingle: {}\n", line);
    return 1;
}

/// A mapped file that shrinks raises SIGBUS on the next read beyond its end. `ingle host` replaces this by
/// its own report.
void reportChangedFiles() {
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t* info, void*) {
        ingle::endUnlessModelFile(info->si_addr);
        // Several threads of the pool may run into it at once; one speaks.
        static std::atomic_flag spoken;
        if (spoken.test_and_set()) {
            for (;;) ::pause();
        }
        constexpr char kSentence[] = "ingle: the model file changed while it was in use\n";
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kSentence, sizeof kSentence - 1);
        ingle::cli::GuardedLoad::end();
        ::_exit(1);
    };
    ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
    if (const auto denied = ingle::sandbox::denyInternetSockets(); !denied) return report(denied.error());

    reportChangedFiles();
    CLI::App app;
    ingle::cli::Action chosen;
    ingle::cli::declareCommandLine(app, chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    const ingle::Error cannotWrite{ingle::ErrorCode::Io, "cannot write to standard output"};
    try {
        const ingle::Status status = chosen();
        if (!status) return report(status.error());
    } catch (const std::system_error&) {  // fmt::print, on a full disk or a closed pipe
        return report(cannotWrite);
    }
    if (std::fflush(stdout) != 0) return report(cannotWrite);
    return 0;
}
