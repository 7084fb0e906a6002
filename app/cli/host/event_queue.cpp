#include "app/cli/host/event_queue.h"

#include <algorithm>
#include <utility>

namespace ingle::cli {
namespace {

// Far below a protocol line, even when every byte needs six characters of JSON, every id eleven and every
// piece sixty beside its text.
constexpr size_t kMaxMergedTextBytes = 64 * 1024;
constexpr size_t kMaxMergedIds = 4096;
constexpr size_t kMaxMergedPieces = 4096;
constexpr size_t kMaxMergedChances = 64;  // each of them up to kMostTop tokens

size_t textBytes(const std::vector<PartPiece>& pieces) {
    size_t bytes = 0;
    for (const PartPiece& piece : pieces) bytes += piece.text.size() + piece.data.size();
    return bytes;
}

bool fitTogether(const TokenChunk& a, const TokenChunk& b) {
    return textBytes(a.pieces) + textBytes(b.pieces) <= kMaxMergedTextBytes &&
           a.pieces.size() + b.pieces.size() <= kMaxMergedPieces &&
           a.ids.size() + b.ids.size() <= kMaxMergedIds &&
           a.chances.size() + b.chances.size() <= kMaxMergedChances;
}

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
        if (!waiting || !fitTogether(waiting->chunk, added->chunk)) return false;
        append(waiting->chunk, added->chunk);
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
