#include "app/serve/engine/deadlines.h"

#include <algorithm>

namespace ingle::serve {

void Deadlines::stop() {
    {
        const std::scoped_lock lock(m_mutex);
        m_isEnding = true;
    }
    m_changed.notify_all();
    if (m_thread.joinable()) m_thread.join();
}

Deadlines::Id Deadlines::set(std::chrono::milliseconds after, std::function<void()> passed) {
    Id id = 0;
    {
        const std::scoped_lock lock(m_mutex);
        id = ++m_lastId;
        m_waiting.emplace(std::pair{Clock::now() + after, id}, std::move(passed));
    }
    m_changed.notify_all();
    return id;
}

void Deadlines::callOff(Id id) {
    const std::scoped_lock lock(m_mutex);
    std::erase_if(m_waiting, [id](const auto& each) { return each.first.second == id; });
}

void Deadlines::run() {
    std::unique_lock lock(m_mutex);
    while (!m_isEnding) {
        if (m_waiting.empty()) {
            m_changed.wait(lock);
            continue;
        }
        const auto first = m_waiting.begin();
        if (first->first.first > Clock::now()) {
            m_changed.wait_until(lock, Clock::time_point(first->first.first));
            continue;
        }
        const auto passed = std::move(first->second);
        m_waiting.erase(first);
        lock.unlock();
        passed();
        lock.lock();
    }
}

}  // namespace ingle::serve
