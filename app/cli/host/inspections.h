/// Looks at model files beside the engine: a file on a disk that does not answer holds up nobody's text.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>

#include "app/cli/host/event_queue.h"
#include "app/protocol/messages.h"

namespace ingle::cli {

/// Any thread may call everything; nothing waits. Lives as long as the process: its threads may hang.
class Inspections {
  public:
    explicit Inspections(EventQueue& events) : m_events(events) {}

    /// Answers by what `look` gives, which is called on any thread and reads the file at `path`; by Failed at
    /// once when too many are waiting.
    void enqueue(protocol::RequestId id, std::string path, std::function<protocol::EventBody()> look);
    /// One that waits ends; one that runs goes on, and is answered.
    void cancel(protocol::RequestId target);

  private:
    struct Waiting {
        protocol::RequestId id;
        std::string path;
        std::function<protocol::EventBody()> look;
    };

    void run();

    EventQueue& m_events;

    std::mutex m_mutex;
    std::deque<Waiting> m_waiting;
    size_t m_numThreads = 0;
};

}  // namespace ingle::cli
