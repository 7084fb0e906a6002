#include "app/cli/host/event_queue.h"

#include <algorithm>
#include <utility>

namespace ingle::cli {
namespace {

// Far below a protocol line, even when every byte needs six characters of JSON and every id eleven.
constexpr size_t kMaxMergedTextBytes = 64 * 1024;
constexpr size_t kMaxMergedIds = 4096;

}  // namespace

void EventQueue::push(protocol::Event event) {
    std::unique_lock lock(m_mutex);
    if (coalesce(event)) return;
    m_popped.wait(lock, [&] { return m_events.size() < m_capacity; });
    m_events.push_back(std::move(event));
    m_pushed.notify_one();
}

protocol::Event EventQueue::pop() {
    std::unique_lock lock(m_mutex);
    m_pushed.wait(lock, [&] { return !m_events.empty(); });
    protocol::Event event = std::move(m_events.front());
    m_events.pop_front();
    m_popped.notify_one();
    return event;
}

bool EventQueue::coalesce(const protocol::Event& event) {
    // What is told of other requests meanwhile need not keep its place: several answers are written at once.
    const auto found = std::find_if(m_events.rbegin(), m_events.rend(),
                                    [&](const protocol::Event& waiting) { return waiting.id == event.id; });
    if (found == m_events.rend()) return false;
    protocol::EventBody& last = found->body;
    if (const auto* added = std::get_if<protocol::Tokens>(&event.body)) {
        auto* waiting = std::get_if<protocol::Tokens>(&last);
        if (!waiting || waiting->chunk.kind != added->chunk.kind ||
            waiting->chunk.text.size() + added->chunk.text.size() > kMaxMergedTextBytes ||
            waiting->chunk.ids.size() + added->chunk.ids.size() > kMaxMergedIds) {
            return false;
        }
        waiting->chunk.text += added->chunk.text;
        waiting->chunk.ids.insert(waiting->chunk.ids.end(), added->chunk.ids.begin(), added->chunk.ids.end());
        return true;
    }
    if (std::holds_alternative<protocol::Progress>(event.body) &&
        std::holds_alternative<protocol::Progress>(last)) {
        last = event.body;
        return true;
    }
    return false;
}

}  // namespace ingle::cli
