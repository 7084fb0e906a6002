#include "engine/base/thread_pool.h"

#include <algorithm>

namespace ingle::base {
namespace {

// Ops follow each other within microseconds during decode, while waking a sleeping thread takes tens of them:
// spin about 20 µs (one pause is some 40 cycles), then sleep.
constexpr int kSpins = 1500;

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
    m_generation.fetch_add(1, std::memory_order_release);
    m_generation.notify_all();
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
    m_running.store(static_cast<uint32_t>(m_workers.size()), std::memory_order_relaxed);
    m_generation.fetch_add(1, std::memory_order_release);
    m_generation.notify_all();
    work(0);
    uint32_t left = m_running.load(std::memory_order_acquire);
    for (int spins = 0; left > 0; ++spins) {
        if (spins < kSpins) {
            relax();
        } else {
            m_running.wait(left, std::memory_order_acquire);
        }
        left = m_running.load(std::memory_order_acquire);
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
    uint32_t seen = 0;
    for (;;) {
        for (int spins = 0; m_generation.load(std::memory_order_acquire) == seen; ++spins) {
            if (spins < kSpins) {
                relax();
            } else {
                m_generation.wait(seen, std::memory_order_acquire);
            }
        }
        ++seen;
        if (m_stop) return;
        work(thread);
        if (m_running.fetch_sub(1, std::memory_order_acq_rel) == 1) m_running.notify_one();
    }
}

}  // namespace ingle::base
