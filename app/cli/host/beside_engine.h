/// Work beside the engine: a file on a disk that does not answer, and a long text that is cut into tokens,
/// hold up nobody's answer.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "app/cli/host/event_queue.h"
#include "app/protocol/messages.h"

namespace ingle::cli {

/// Any thread may call everything; nothing waits. Lives as long as the process: its threads may hang.
class BesideEngine {
  public:
    /// `mostThreads` work at once; others wait for them.
    BesideEngine(EventQueue& events, size_t mostThreads) : m_events(events), m_mostThreads(mostThreads) {}

    /// Answers by what `work` gives, which is called on any thread and may read the file at `path`; by Failed
    /// at once when too much is waiting.
    void enqueue(protocol::RequestId id, std::string path, std::function<protocol::EventBody()> work);
    /// One that waits ends at once. One that runs, as soon as what it does looks whether to stop (StopScope);
    /// reading a file does not.
    void cancel(protocol::RequestId target);
    /// Cancels all of it, and returns when nothing runs any more: for work that needs what is about to go.
    void end();

  private:
    struct Waiting {
        protocol::RequestId id;
        std::string path;
        std::function<protocol::EventBody()> work;
    };

    void run();

    EventQueue& m_events;
    const size_t m_mostThreads;

    std::mutex m_mutex;
    std::condition_variable m_ended;  ///< one of m_running
    std::deque<Waiting> m_waiting;
    std::map<protocol::RequestId, bool> m_running;  ///< whether they were cancelled
    size_t m_numThreads = 0;
};

}  // namespace ingle::cli
