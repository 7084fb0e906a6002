/// Whether anybody still wants what this thread is working on.
#pragma once

#include <functional>
#include <utility>

namespace ingle {

/// While it exists, rendering prompts and cutting texts into tokens in this thread ends within milliseconds
/// once `stopWanted` says so, with Cancelled.
class StopScope {
  public:
    explicit StopScope(std::function<bool()> stopWanted)
        : m_stopWanted(std::move(stopWanted)), m_around(std::exchange(s_innermost, this)) {}
    ~StopScope() { s_innermost = m_around; }
    StopScope(const StopScope&) = delete;
    StopScope& operator=(const StopScope&) = delete;

    static bool isStopWanted() {
        for (const StopScope* scope = s_innermost; scope; scope = scope->m_around)
            if (scope->m_stopWanted()) return true;
        return false;
    }

  private:
    const std::function<bool()> m_stopWanted;
    const StopScope* const m_around;
    static inline thread_local const StopScope* s_innermost = nullptr;
};

}  // namespace ingle
