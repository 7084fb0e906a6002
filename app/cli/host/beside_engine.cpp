#include "app/cli/host/beside_engine.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "app/cli/host/bus_error.h"
#include "ingle/error_ids.h"
#include "ingle/stop_scope.h"

namespace ingle::cli {
namespace {

constexpr size_t kMaxWaitingBeside = 256;

}  // namespace

void BesideEngine::enqueue(protocol::RequestId id, std::string path,
                           std::function<protocol::EventBody()> work) {
    bool full = false;
    {
        const std::scoped_lock lock(m_mutex);
        full = m_waiting.size() >= kMaxWaitingBeside;
        if (!full) m_waiting.push_back({id, std::move(path), std::move(work)});
        if (!full && m_numThreads < m_mostThreads) {
            ++m_numThreads;
            std::thread([this] { run(); }).detach();
        }
    }
    if (full) {
        m_events.push({id, protocol::Failed{{ErrorCode::InvalidArgument,
                                             fmt::format("Request {} cannot be taken: {} others are waiting.",
                                                         id, kMaxWaitingBeside)},
                                            {}}});
    }
}

void BesideEngine::cancel(protocol::RequestId target) {
    size_t numCancelled = 0;
    {
        const std::scoped_lock lock(m_mutex);
        numCancelled = std::erase_if(m_waiting, [target](const Waiting& each) { return each.id == target; });
        if (const auto running = m_running.find(target); running != m_running.end()) running->second = true;
    }
    if (numCancelled > 0)
        m_events.push(
            {target, protocol::Failed{withCodeId({ErrorCode::Cancelled, "It was cancelled."}), {}}});
}

void BesideEngine::end() {
    std::deque<Waiting> waiting;
    {
        std::unique_lock lock(m_mutex);
        waiting.swap(m_waiting);
        for (auto& [id, isCancelled] : m_running) isCancelled = true;
        m_ended.wait(lock, [this] { return m_running.empty(); });
    }
    for (const Waiting& each : waiting)
        m_events.push(
            {each.id, protocol::Failed{withCodeId({ErrorCode::Cancelled, "It was cancelled."}), {}}});
}

void BesideEngine::run() {
    for (;;) {
        std::optional<Waiting> next;
        {
            const std::scoped_lock lock(m_mutex);
            if (m_waiting.empty()) {
                --m_numThreads;
                return;
            }
            next = std::move(m_waiting.front());
            m_waiting.pop_front();
            m_running[next->id] = false;
        }
        const BusErrorAnswer answer(next->id, next->path);
        const StopScope scope([this, id = next->id] {
            const std::scoped_lock lock(m_mutex);
            return m_running[id];
        });
        protocol::EventBody result = next->work();
        {
            const std::scoped_lock lock(m_mutex);
            m_running.erase(next->id);
            m_ended.notify_all();
        }
        m_events.push({next->id, std::move(result)});
    }
}

}  // namespace ingle::cli
