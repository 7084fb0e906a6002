#include "app/storage/lane.h"

#include <pthread.h>

#include <utility>

namespace ingle::storage {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// So late it is called between two pieces of work: nobody shall keep it away for good.
constexpr auto kOverdue = 400ms;

Lane::Lane(const char* name, Idle idle) : m_idle(std::move(idle)), m_thread([this] { run(); }) {
    ::pthread_setname_np(m_thread.native_handle(), name);
}

Lane::~Lane() {
    {
        const std::lock_guard lock(m_mutex);
        m_closing = true;
    }
    m_posted.notify_one();
    m_thread.join();
}

void Lane::post(Work work) {
    {
        const std::lock_guard lock(m_mutex);
        m_queue.push_back(std::move(work));
    }
    m_posted.notify_one();
}

void Lane::run() {
    Clock::time_point idleAgain = Clock::now();
    std::unique_lock lock(m_mutex);
    while (true) {
        const bool overdue = m_idle && Clock::now() >= idleAgain + kOverdue;
        if (!m_queue.empty() && !overdue) {
            const Work work = std::move(m_queue.front());
            m_queue.pop_front();
            lock.unlock();
            work();
            lock.lock();
        } else if (m_closing && m_queue.empty()) {
            return;
        } else if (!m_idle) {
            m_posted.wait(lock);
        } else if (Clock::now() >= idleAgain) {
            lock.unlock();
            const std::chrono::milliseconds rest = m_idle();
            idleAgain = Clock::now() + rest;
            lock.lock();
        } else {
            m_posted.wait_until(lock, idleAgain);
        }
    }
}

}  // namespace ingle::storage
