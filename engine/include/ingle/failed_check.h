/// Keeps the sentence of a failed check for the crash report. Header-only: the engine writes it, and
/// app/crash reads it in a signal handler.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string_view>

namespace ingle {

/// A fixed buffer, so that a signal handler can read it whatever else is broken. It keeps the first sentence
/// only, up to 512 bytes.
class FailedCheck {
  public:
    void set(std::string_view sentence) {
        if (m_claimed.test_and_set()) return;
        const size_t bytes = std::min(sentence.size(), m_text.size());
        std::memcpy(m_text.data(), sentence.data(), bytes);
        m_bytes = bytes;
    }
    /// Returns the sentence, or "" if no check has failed. Async-signal-safe.
    std::string_view sentence() const { return {m_text.data(), m_bytes}; }

  private:
    std::array<char, 512> m_text{};
    std::atomic<size_t> m_bytes = 0;
    std::atomic_flag m_claimed;
};
inline FailedCheck failedCheck;

}  // namespace ingle
