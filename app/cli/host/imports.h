/// Writes models as other files beside the engine, one at a time: it takes minutes, and answers go on
/// meanwhile.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>

#include "app/cli/host/engine_worker.h"
#include "app/cli/host/event_queue.h"
#include "app/protocol/messages.h"

namespace ingle::cli {

/// Any thread may call everything; nothing waits. Lives as long as the process.
class Imports {
  public:
    Imports(decltype(EngineSource::import) import, EventQueue& events);

    /// Answers by Progress and then Imported or Failed; by the latter at once when too many are waiting.
    void enqueue(protocol::RequestId id, protocol::Import request);
    /// Ends one that waits, or that runs, within about a MiB.
    void cancel(protocol::RequestId target);

  private:
    struct Waiting {
        protocol::RequestId id;
        protocol::Import request;
    };

    void run();
    protocol::EventBody import(const Waiting& waiting);

    const decltype(EngineSource::import) m_import;
    EventQueue& m_events;

    std::mutex m_mutex;
    std::deque<Waiting> m_waiting;  ///< the first one runs
    std::atomic<bool> m_isCancelled = false;
};

}  // namespace ingle::cli
