#include "app/cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ingle::cli {
namespace {

using namespace std::chrono_literals;

/// Before, the speed so far says little.
constexpr auto kTellsAfter = 3s;

}  // namespace

ProgressLine::ProgressLine() : m_isTerminal(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(double fraction, const char* phase) {
    if (m_first < 0) {
        m_begin = std::chrono::steady_clock::now();
        m_first = fraction;
    }
    const int percent = static_cast<int>(fraction * 100);
    const int step = m_isTerminal ? 1 : 10;
    if (percent / step == m_shown / step) return;
    m_shown = percent;
    if (m_isTerminal)
        fmt::print(stderr, "\r{}: {:3} %{:<14}", phase, percent, left(fraction));
    else
        fmt::print(stderr, "{}: {} %{}\n", phase, percent, left(fraction));
}

std::string ProgressLine::left(double fraction) const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - m_begin;
    if (elapsed < kTellsAfter || fraction <= m_first || fraction >= 1) return {};
    const double seconds = elapsed.count() / (fraction - m_first) * (1 - fraction);
    if (seconds < 60) return fmt::format(", {:.0f} s left", std::max(1.0, seconds));
    return fmt::format(", {:.0f} min left", seconds / 60);
}

void ProgressLine::end() const {
    if (m_isTerminal && m_shown >= 0) fmt::print(stderr, "\n");
}

}  // namespace ingle::cli
