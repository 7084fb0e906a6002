/// Inspects model files beside the engine: a file on a disk that does not answer holds up nobody's text.
#pragma once

#include <deque>
#include <mutex>

#include "app/cli/host/engine_worker.h"
#include "app/cli/host/event_queue.h"
#include "app/protocol/messages.h"

namespace ingle::cli {

/// Any thread may call everything; nothing waits. Lives as long as the process: its threads may hang.
class Inspections {
  public:
    Inspections(decltype(EngineSource::inspect) inspect, EventQueue& events);

    /// Answers by Inspected or Failed; by the latter at once when too many are waiting.
    void enqueue(protocol::RequestId id, protocol::Inspect request);
    /// One that waits ends; one that runs goes on, and is answered.
    void cancel(protocol::RequestId target);

  private:
    struct Waiting {
        protocol::RequestId id;
        protocol::Inspect request;
    };

    void run();
    void inspect(const Waiting& waiting);

    const decltype(EngineSource::inspect) m_inspect;
    EventQueue& m_events;

    std::mutex m_mutex;
    std::deque<Waiting> m_waiting;
    size_t m_numThreads = 0;
};

}  // namespace ingle::cli
