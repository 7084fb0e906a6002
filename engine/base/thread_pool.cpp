#include "engine/base/thread_pool.h"

#include <algorithm>

namespace ingle::base {
namespace {

// Ops follow each other within microseconds during decode, while waking a sleeping thread takes tens of them:
// spin about 20 µs (one pause is some 40 cycles), then sleep.
constexpr int kSpins = 1500;

// Parts of ThreadPool::m_job.
constexpr uint32_t kOneWorker = 1;
constexpr uint32_t kJoinable = 1U << 15;
constexpr uint32_t kNextNumber = 1U << 16;
constexpr uint32_t kNumber = ~(kNextNumber - 1);

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(uint32_t numThreads) {
    for (uint32_t thread = 1; thread < std::max(1u, numThreads); ++thread) {
        m_workers.emplace_back([this, thread] { workerMain(thread); });
    }
}

ThreadPool::~ThreadPool() {
    m_stop = true;
    m_job.fetch_add(kNextNumber, std::memory_order_release);
    m_job.notify_all();
    for (std::thread& worker : m_workers) worker.join();
}

void ThreadPool::run(size_t count, size_t grain, void* context, Call call) {
    if (count == 0) return;
    if (m_workers.empty() || count <= grain) {
        call(context, 0, count, 0);
        return;
    }
    m_count = count;
    m_grain = std::max<size_t>(1, grain);
    m_context = context;
    m_call = call;
    m_next.store(0, std::memory_order_relaxed);
    const uint32_t done = (m_job.load(std::memory_order_relaxed) & kNumber) + kNextNumber;
    m_job.store(done | kJoinable, std::memory_order_release);
    m_job.notify_all();
    work(0);
    // All pieces are taken: who has not joined yet comes too late.
    uint32_t now = m_job.fetch_and(~kJoinable, std::memory_order_acq_rel) & ~kJoinable;
    for (int spins = 0; now != done; ++spins) {
        if (spins < kSpins) {
            relax();
        } else {
            m_job.wait(now, std::memory_order_acquire);
        }
        now = m_job.load(std::memory_order_acquire);
    }
}

void ThreadPool::work(uint32_t thread) {
    for (;;) {
        const size_t begin = m_next.fetch_add(m_grain, std::memory_order_relaxed);
        if (begin >= m_count) return;
        m_call(m_context, begin, std::min(m_count, begin + m_grain), thread);
    }
}

void ThreadPool::workerMain(uint32_t thread) {
    uint32_t joined = 0;  // the number of the last job
    int spins = 0;
    while (!m_stop) {
        uint32_t now = m_job.load(std::memory_order_acquire);
        if (!(now & kJoinable) || (now & kNumber) == joined) {
            if (++spins < kSpins) {
                relax();
            } else {
                m_job.wait(now, std::memory_order_acquire);
            }
            continue;
        }
        if (!m_job.compare_exchange_weak(now, now + kOneWorker, std::memory_order_acq_rel)) continue;
        spins = 0;
        joined = now & kNumber;
        work(thread);
        // The caller may wait for the last one.
        if (m_job.fetch_sub(kOneWorker, std::memory_order_acq_rel) == (joined | kOneWorker))
            m_job.notify_all();
    }
}

}  // namespace ingle::base
