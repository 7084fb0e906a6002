#include "app/storage/lane.h"

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace ingle::storage {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// So late it is called between two pieces of work: nobody shall keep it away for good.
constexpr auto kOverdue = 400ms;

struct Lane::Queue {
    void run();

    Idle idle;
    std::mutex mutex;  ///< guards what follows
    std::condition_variable posted;
    std::condition_variable over;
    std::deque<Work> works;
    bool isClosing = false;
    bool isOver = false;
};

Lane::Lane(const char* name, Idle idle) : m_queue(std::make_shared<Queue>()) {
    m_queue->idle = std::move(idle);
    begin(name);
}

Lane::Lane(const char* name, std::chrono::milliseconds patience)
    : m_patience(patience), m_queue(std::make_shared<Queue>()) {
    begin(name);
}

void Lane::begin(const char* name) {
    m_thread = std::thread([queue = m_queue] { queue->run(); });
    ::pthread_setname_np(m_thread.native_handle(), name);
}

Lane::~Lane() {
    close();
    if (m_patience) {
        std::unique_lock lock(m_queue->mutex);
        const auto isOver = [this] { return m_queue->isOver; };
        if (!m_queue->over.wait_until(lock, m_closedAt + *m_patience, isOver)) {
            m_queue->works.clear();
            m_thread.detach();
            return;
        }
    }
    m_thread.join();
}

void Lane::close() {
    const std::lock_guard lock(m_queue->mutex);
    if (std::exchange(m_queue->isClosing, true)) return;
    m_closedAt = Clock::now();
    m_queue->posted.notify_one();
}

void Lane::post(Work work) {
    {
        const std::lock_guard lock(m_queue->mutex);
        m_queue->works.push_back(std::move(work));
    }
    m_queue->posted.notify_one();
}

void Lane::Queue::run() {
    Clock::time_point idleAgain = Clock::now();
    std::unique_lock lock(mutex);
    while (true) {
        const bool isOverdue = idle && Clock::now() >= idleAgain + kOverdue;
        if (!works.empty() && !isOverdue) {
            {
                const Work work = std::move(works.front());
                works.pop_front();
                lock.unlock();
                work();
            }
            lock.lock();
        } else if (isClosing && works.empty()) {
            isOver = true;
            over.notify_one();
            return;
        } else if (!idle) {
            posted.wait(lock);
        } else if (Clock::now() >= idleAgain) {
            lock.unlock();
            const std::chrono::milliseconds rest = idle();
            idleAgain = Clock::now() + rest;
            lock.lock();
        } else {
            posted.wait_until(lock, idleAgain);
        }
    }
}

}  // namespace ingle::storage
