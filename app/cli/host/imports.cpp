#include "app/cli/host/imports.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "app/cli/host/bus_error.h"
#include "app/cli/host/throttle.h"
#include "ingle/error_ids.h"

namespace ingle::cli {
namespace {

constexpr size_t kMaxWaitingImports = 64;

protocol::Failed cancelled() {
    return {withCodeId({ErrorCode::Cancelled, "It was cancelled."}), {}};
}

}  // namespace

Imports::Imports(decltype(EngineSource::import) import, EventQueue& events)
    : m_import(std::move(import)), m_events(events) {}

void Imports::enqueue(protocol::RequestId id, protocol::Import request) {
    {
        const std::scoped_lock lock(m_mutex);
        if (m_waiting.size() < kMaxWaitingImports) {
            m_waiting.push_back({id, std::move(request)});
            if (m_waiting.size() == 1) std::thread([this] { run(); }).detach();
            return;
        }
    }
    m_events.push({id, protocol::Failed{{ErrorCode::InvalidArgument,
                                         fmt::format("Request {} cannot be taken: {} imports wait.", id,
                                                     kMaxWaitingImports)},
                                        {}}});
}

void Imports::cancel(protocol::RequestId target) {
    {
        const std::scoped_lock lock(m_mutex);
        const auto found = std::ranges::find(m_waiting, target, &Waiting::id);
        if (found == m_waiting.end()) return;
        if (found == m_waiting.begin()) {
            m_isCancelled = true;
            return;
        }
        m_waiting.erase(found);
    }
    m_events.push({target, cancelled()});
}

void Imports::run() {
    for (bool isLast = false; !isLast;) {
        Waiting next;
        {
            const std::scoped_lock lock(m_mutex);
            next = m_waiting.front();
        }
        protocol::Event last{next.id, import(next)};
        {
            const std::scoped_lock lock(m_mutex);
            m_waiting.pop_front();
            m_isCancelled = false;
            isLast = m_waiting.empty();
        }
        m_events.push(std::move(last));
    }
}

protocol::EventBody Imports::import(const Waiting& waiting) {
    const BusErrorAnswer answer(waiting.id, waiting.request.path);
    Throttle throttle;
    auto imported = m_import(
        waiting.request,
        [&](double fraction, const char* phase) {
            if (throttle.passes(fraction))
                m_events.push({waiting.id, protocol::Progress{fraction, phase, {}}});
        },
        [this] { return m_isCancelled.load(); });
    if (imported) return *std::move(imported);
    if (imported.error().code == ErrorCode::Cancelled) return cancelled();
    return protocol::Failed{std::move(imported).error(), {}};
}

}  // namespace ingle::cli
