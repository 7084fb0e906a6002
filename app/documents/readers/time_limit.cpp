#include "app/documents/readers/time_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "app/documents/answer.h"
#include "app/documents/limits.h"

namespace ingle::documents {
namespace {

std::atomic<int> s_numSignals = 0;  // one a second once the time is over
std::atomic<size_t> s_textSize = 0;
std::atomic<const char*> s_text = nullptr;
std::atomic<size_t> s_descriptionSize = 0;
std::array<char, 512> s_description;

constexpr int kMostSignals = static_cast<int>((limits::kProcessorTime - limits::kReadingTime).count());

bool writeAll(const char* bytes, size_t size) {
    while (size > 0) {
        const ssize_t count = ::write(STDOUT_FILENO, bytes, size);
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) bytes += count, size -= static_cast<size_t>(count);
    }
    return true;
}

/// Only what may be called between any two instructions.
void onTimeOver(int) {
    if (s_numSignals.fetch_add(1) < kMostSignals) return;
    const size_t size = s_textSize.load();
    if (size > 0 && writeAll(s_description.data(), s_descriptionSize.load()) && writeAll(s_text.load(), size))
        ::_exit(0);
    ::signal(SIGXCPU, SIG_DFL);
    ::raise(SIGXCPU);
}

}  // namespace

void limitTime() {
    struct sigaction action {};
    action.sa_handler = onTimeOver;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGXCPU, &action, nullptr);
    // The signal comes each second from the first limit on, and the kernel kills at the second one.
    const rlimit values{static_cast<rlim_t>(limits::kReadingTime.count()),
                        static_cast<rlim_t>(limits::kProcessorTime.count()) + 2};
    ::setrlimit(RLIMIT_CPU, &values);
}

void limitPageTime() {
    const auto seconds = static_cast<rlim_t>(limits::kPageTime.count());
    const rlimit values{seconds, seconds + 1};
    ::setrlimit(RLIMIT_CPU, &values);
}

bool isTimeOver() {
    return s_numSignals.load(std::memory_order_relaxed) > 0;
}

void keepText(std::string_view format, std::string_view text) {
    if (s_descriptionSize.load() == 0 && !text.empty()) {
        const std::string description =
            encodeAnswer(Document{.format = std::string(format), .leftOut = {{LossKind::Rest, 1}}});
        if (description.size() > s_description.size()) return;
        description.copy(s_description.data(), description.size());
        s_descriptionSize = description.size();
    }
    s_textSize = 0;
    s_text = text.data();
    s_textSize = text.size();
}

}  // namespace ingle::documents
