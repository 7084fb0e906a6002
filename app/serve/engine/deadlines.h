/// What is to happen at a time, unless it is called off before.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace ingle::serve {

/// Any thread.
class Deadlines {
  public:
    using Id = uint64_t;

    Deadlines() : m_thread([this] { run(); }) {}
    /// What has not happened by then does not.
    ~Deadlines() { stop(); }
    /// Waits for the one that is happening; no other does. Later calls of set() have no effect.
    void stop();

    /// `passed` is called on a thread of its own.
    Id set(std::chrono::milliseconds after, std::function<void()> passed);
    void callOff(Id id);

  private:
    using Clock = std::chrono::steady_clock;

    void run();

    std::mutex m_mutex;  ///< guards everything below
    std::map<std::pair<Clock::time_point, Id>, std::function<void()>> m_waiting;
    Id m_lastId = 0;
    bool m_isEnding = false;
    std::condition_variable m_changed;
    std::thread m_thread;
};

}  // namespace ingle::serve
