#include "app/cli/interruption.h"

#include <atomic>
#include <csignal>

namespace ingle::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set by a signal handler");

}  // namespace

void endByInterruption() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

bool isInterrupted() {
    return interrupted.load();
}

}  // namespace ingle::cli
