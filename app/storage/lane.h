/// A thread that does one piece of work after another.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace ingle::storage {

class Lane {
  public:
    using Work = std::function<void()>;
    /// Called by the thread when nothing is queued: does a little and says for how long it has nothing to do.
    using Idle = std::function<std::chrono::milliseconds()>;

    /// `name`: of the thread, for debuggers; at most 15 characters.
    explicit Lane(const char* name, Idle idle = {});
    /// One whose work may hang with a network, and keeps alive itself what it uses: at the end it gets
    /// `patience`, counted from close(). What runs then is left behind until the program is over, and what is
    /// queued behind it is dropped.
    Lane(const char* name, std::chrono::milliseconds patience);
    /// Finishes what is queued.
    ~Lane();
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    /// From any thread; not after close().
    void post(Work work);
    /// The end begins; nothing waits for it yet.
    void close();

  private:
    struct Queue;

    void begin(const char* name);

    const std::optional<std::chrono::milliseconds> m_patience;
    std::chrono::steady_clock::time_point m_closedAt{};
    std::shared_ptr<Queue> m_queue;  ///< with the thread, which may outlive this
    std::thread m_thread;
};

}  // namespace ingle::storage
