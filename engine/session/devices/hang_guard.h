/// Ends this process when what it guards takes too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace ingle::session {

/// Guards from its construction to its destruction. A driver's call that hangs cannot be taken back, and the
/// thread that made it cannot be ended: only the process can.
class HangGuard {
  public:
    /// The exit status of a process that was ended.
    static constexpr int kExitStatus = 4;

    explicit HangGuard(std::chrono::milliseconds limit);
    ~HangGuard();
    HangGuard(const HangGuard&) = delete;
    HangGuard& operator=(const HangGuard&) = delete;

  private:
    std::mutex m_mutex;
    std::condition_variable m_ended;
    bool m_over = false;
    std::thread m_thread;
};

}  // namespace ingle::session
