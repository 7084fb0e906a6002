#include "app/cli/host/bus_error.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

#include "app/protocol/messages.h"
#include "ingle/devices.h"
#include "ingle/error_ids.h"

namespace ingle::cli {
namespace {

// The report is encoded beforehand: a signal handler may not allocate.
std::array<char, 16 * 1024> reportLine;
std::atomic<size_t> reportLength = 0;
std::atomic<int> reportFd = -1;

void prepareReport(const std::string& sentence) {
    // Another thread may have been in the middle of a line: an empty one is ignored by the reader.
    const protocol::Event event{
        0, protocol::Failed{withId<ErrorId::ModelFileChanged>(Error{ErrorCode::Io, sentence}), {}}};
    const std::string line = fmt::format("\n{}\n", protocol::encode(event));
    if (line.size() > reportLine.size()) return;
    reportLength = 0;
    std::memcpy(reportLine.data(), line.data(), line.size());
    reportLength = line.size();
}

void onBusError(int, siginfo_t* info, void*) {
    endUnlessModelFile(info->si_addr);
    // Several threads of the pool may run into it at once; one speaks.
    static std::atomic_flag spoken;
    if (spoken.test_and_set()) {
        for (;;) ::pause();
    }
    // Nothing can be done about a failed write here.
    [[maybe_unused]] const ssize_t written = ::write(reportFd, reportLine.data(), reportLength);
    ::_exit(kBusErrorExit);
}

}  // namespace

void reportBusErrors(int outputFd) {
    prepareReport("The model file changed while it was in use.");
    reportFd = outputFd;
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, nullptr);
}

void nameFileForBusErrors(const std::string& path) {
    prepareReport(fmt::format("The model file changed while it was in use: {}.", path));
}

}  // namespace ingle::cli
