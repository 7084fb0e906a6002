#include "app/crash/crash_report.h"

#include <execinfo.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

#include "ingle/failed_check.h"

namespace ingle::crash {
namespace {

namespace fs = std::filesystem;

constexpr int kSignals[] = {SIGSEGV, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
constexpr std::string_view kUnseen = "new-", kSeen = "crash-", kEnding = ".txt";
constexpr size_t kKept = 10;
constexpr int kMaxFrames = 64;

/// Text in a place of its own: a handler may not allocate, and snprintf() is not for handlers either. What is
/// too long is cut.
template <size_t N>
class FixedText {
  public:
    FixedText& add(std::string_view text) {
        const size_t bytes = std::min(text.size(), N - 1 - m_size);
        std::memcpy(m_bytes.data() + m_size, text.data(), bytes);
        m_size += bytes;
        m_bytes[m_size] = 0;
        return *this;
    }
    FixedText& add(uint64_t number, unsigned base = 10) {
        std::array<char, 24> digits{};
        size_t at = digits.size();
        do digits[--at] = "0123456789abcdef"[number % base];
        while ((number /= base) > 0);
        return add({digits.data() + at, digits.size() - at});
    }
    void clear() { m_size = m_bytes[0] = 0; }
    const char* c_str() const { return m_bytes.data(); }
    std::string_view view() const { return {m_bytes.data(), m_size}; }

  private:
    std::array<char, N> m_bytes{};
    size_t m_size = 0;
};

// All that a handler needs is laid out beforehand.
FixedText<4096> folder;
FixedText<1024> heading;
FixedText<256> device;
std::array<std::byte, 64 * 1024> handlerStack{};
void (*beforeReport)() = nullptr;

const char* nameOf(int signal) {
    switch (signal) {
        case SIGSEGV:
            return "SIGSEGV (a wrong memory access)";
        case SIGILL:
            return "SIGILL (an instruction this processor lacks)";
        case SIGFPE:
            return "SIGFPE (a division by zero)";
        case SIGABRT:
            return "SIGABRT (a check inside failed)";
        case SIGSYS:
            return "SIGSYS (a system call that is forbidden)";
        default:
            return "SIGTRAP";
    }
}

void writeReport(int signal, const siginfo_t* info) {
    const auto now = static_cast<uint64_t>(::time(nullptr));
    ::mkdir(folder.c_str(), 0700);
    FixedText<4200> path;
    path.add(folder.view())
        .add("/")
        .add(kUnseen)
        .add(now)
        .add("-")
        .add(static_cast<uint64_t>(::getpid()))
        .add(kEnding);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return;
    FixedText<2048> text;
    text.add(heading.view()).add("signal: ").add(nameOf(signal));
    if (signal == SIGSEGV) text.add(", address 0x").add(reinterpret_cast<uintptr_t>(info->si_addr), 16);
    if (!failedCheck.sentence().empty()) text.add("\ncheck: ").add(failedCheck.sentence());
    text.add("\ntime: ").add(now).add(" seconds after 1970\ndevice: ");
    text.add(device.view().empty() ? "none yet" : device.view()).add("\n\n");
    [[maybe_unused]] const ssize_t written = ::write(file, text.c_str(), text.view().size());
    std::array<void*, kMaxFrames> frames{};
    ::backtrace_symbols_fd(frames.data(), ::backtrace(frames.data(), kMaxFrames), file);
    ::close(file);
}

void onCrash(int signal, siginfo_t* info, void*) {
    // A second thread that crashes meanwhile, or this one while it reports, just ends.
    static std::atomic_flag reporting;
    if (!reporting.test_and_set()) {
        if (beforeReport) beforeReport();
        writeReport(signal, info);
    }
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

/// Names of reports that begin so, the oldest first: they begin with the time, which has as many digits for
/// centuries.
std::vector<std::string> reports(const std::string& where, std::string_view beginning) {
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator entries(where, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
        std::string name = entries->path().filename().string();
        if (name.starts_with(beginning) && name.ends_with(kEnding)) names.push_back(std::move(name));
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

void keepReports(const Program& program) {
    utsname system{};
    ::uname(&system);
    folder.clear();
    folder.add(program.folder);
    heading.clear();
    heading.add(fmt::format(
        "Inglenook crash report. It holds nothing of any conversation.\nprogram: {} {}\nsystem: {} {} {}\n",
        program.name, program.version, system.sysname, system.release, system.machine));
    beforeReport = program.beforeReport;
    std::error_code ignored;
    for (const std::string_view beginning : {kSeen, kUnseen}) {
        const auto older = reports(program.folder, beginning);
        for (size_t i = 0; i + kKept < older.size(); ++i)
            fs::remove(fs::path(program.folder) / older[i], ignored);
    }
    // The first call loads a library, which no handler may do.
    void* frame = nullptr;
    ::backtrace(&frame, 1);
    // A stack that has run over has no room for a handler.
    stack_t stack{};
    stack.ss_sp = handlerStack.data();
    stack.ss_size = handlerStack.size();
    ::sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = onCrash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

void noteDevice(std::string_view name) {
    device.clear();
    device.add(escaped(name));
}

std::optional<std::string> unseenReport(const std::string& where) {
    const auto unseen = reports(where, kUnseen);
    if (unseen.empty()) return std::nullopt;
    return (fs::path(where) / unseen.back()).string();
}

Status markSeen(const std::string& where) {
    for (const std::string& name : reports(where, kUnseen)) {
        const fs::path from = fs::path(where) / name;
        const fs::path to = fs::path(where) / (std::string(kSeen) + name.substr(kUnseen.size()));
        if (::rename(from.c_str(), to.c_str()) != 0)
            return fail(ErrorCode::Io, "{}: cannot be renamed: {}", from.string(), std::strerror(errno));
    }
    return {};
}

}  // namespace ingle::crash
