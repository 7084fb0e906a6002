#include "app/cli/host/bus_error.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

#include "ingle/devices.h"
#include "ingle/error_ids.h"

namespace ingle::cli {

// A signal handler may not allocate.
struct BusErrorAnswer::Report {
    std::array<char, 16 * 1024> line;
    std::atomic<size_t> length = 0;

    void set(protocol::RequestId id, const std::string& sentence) {
        // Another thread may have been in the middle of a line: an empty one is ignored by the reader.
        const protocol::Event event{
            id, protocol::Failed{withId<ErrorId::ModelFileChanged>(Error{ErrorCode::Io, sentence}), {}}};
        const std::string text = fmt::format("\n{}\n", protocol::encode(event));
        if (text.size() > line.size()) return;
        length = 0;
        std::memcpy(line.data(), text.data(), text.size());
        length = text.size();
    }
};

namespace {

BusErrorAnswer::Report engineReport;
thread_local const BusErrorAnswer::Report* threadReport = nullptr;
std::atomic<int> reportFd = -1;

std::string changed(const std::string& path) {
    return fmt::format("The model file changed while it was in use: {}.", path);
}

void onBusError(int, siginfo_t* info, void*) {
    endUnlessModelFile(info->si_addr);
    // Several threads of the pool may run into it at once; one speaks.
    static std::atomic_flag spoken;
    if (spoken.test_and_set()) {
        for (;;) ::pause();
    }
    const BusErrorAnswer::Report& report = threadReport != nullptr ? *threadReport : engineReport;
    // Nothing can be done about a failed write here.
    [[maybe_unused]] const ssize_t written = ::write(reportFd, report.line.data(), report.length);
    ::_exit(kBusErrorExit);
}

}  // namespace

void reportBusErrors(int outputFd) {
    engineReport.set(0, "The model file changed while it was in use.");
    reportFd = outputFd;
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, nullptr);
}

void nameFileForBusErrors(const std::string& path) {
    engineReport.set(0, changed(path));
}

BusErrorAnswer::BusErrorAnswer(protocol::RequestId request, const std::string& path)
    : m_report(std::make_unique<Report>()) {
    m_report->set(request, changed(path));
    threadReport = m_report.get();
}

BusErrorAnswer::~BusErrorAnswer() {
    threadReport = nullptr;
}

}  // namespace ingle::cli
