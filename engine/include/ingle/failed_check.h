/// Where a check that failed leaves its sentence, so that the crash report has it. Header-only: the engine
/// writes it, and app/crash reads it in a signal handler.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string_view>

namespace ingle {

/// Nothing but plain memory: a handler reads it, whatever else is broken. Only the first sentence is kept.
class FailedCheck {
  public:
    void set(std::string_view sentence) {
        if (m_claimed.test_and_set()) return;
        const size_t bytes = std::min(sentence.size(), m_text.size());
        std::memcpy(m_text.data(), sentence.data(), bytes);
        m_bytes = bytes;
    }
    /// "" when none failed. May be called in signal handlers.
    std::string_view sentence() const { return {m_text.data(), m_bytes}; }

  private:
    std::array<char, 512> m_text{};
    std::atomic<size_t> m_bytes = 0;
    std::atomic_flag m_claimed;
};
inline FailedCheck failedCheck;

}  // namespace ingle
