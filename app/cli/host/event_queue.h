/// Events on their way to the client: bounded, and coalescing while the client is slow.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "app/protocol/messages.h"

namespace ingle::cli {

/// Any thread may push; one thread pops.
class EventQueue {
  public:
    explicit EventQueue(size_t capacity) : m_capacity(capacity) {}

    /// Merges tokens into the last waiting event of the same request, or replaces that by newer progress,
    /// where both are of a kind; otherwise waits for room.
    void push(protocol::Event event);
    /// Waits for the next event.
    protocol::Event pop();

  private:
    bool coalesce(const protocol::Event& event);

    const size_t m_capacity;
    std::mutex m_mutex;
    std::condition_variable m_pushed;
    std::condition_variable m_popped;
    std::deque<protocol::Event> m_events;
};

}  // namespace ingle::cli
