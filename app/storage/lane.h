/// A thread that does one piece of work after another. Private to app/storage.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace ingle::storage {

class Lane {
  public:
    using Work = std::function<void()>;
    /// Called by the thread when nothing is queued: does a little and says for how long it has nothing to do.
    using Idle = std::function<std::chrono::milliseconds()>;

    /// `name`: of the thread, for debuggers; at most 15 characters.
    explicit Lane(const char* name, Idle idle = {});
    /// Finishes what is queued.
    ~Lane();
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    /// From any thread.
    void post(Work work);

  private:
    void run();

    Idle m_idle;
    std::mutex m_mutex;
    std::condition_variable m_posted;
    std::deque<Work> m_queue;
    bool m_closing = false;
    std::thread m_thread;  ///< last: everything is there when it starts
};

}  // namespace ingle::storage
