/// A fixed set of threads that run one loop at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace ingle::base {

/// Runs `body(begin, end, thread)` over [0, count) in pieces of `grain`. The calling thread works too. Which
/// thread takes which piece is not fixed, so bodies must give results that do not depend on it: a thread that
/// the system does not let run in time takes none, and nobody waits for it. One caller at a time.
class ThreadPool {
  public:
    /// `numThreads` counts the caller: 1 means no further thread.
    explicit ThreadPool(uint32_t numThreads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    uint32_t numThreads() const { return static_cast<uint32_t>(m_workers.size()) + 1; }

    template <typename Body>
    void parallelFor(size_t count, size_t grain, Body&& body) {
        run(count, grain, &body, [](void* context, size_t begin, size_t end, uint32_t thread) {
            (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end, thread);
        });
    }

  private:
    using Call = void (*)(void* context, size_t begin, size_t end, uint32_t thread);

    void run(size_t count, size_t grain, void* context, Call call);
    void work(uint32_t thread);
    void workerMain(uint32_t thread);

    // The job being run. Written by the caller while nobody is at it, read by workers after they joined.
    size_t m_count = 0;
    size_t m_grain = 1;
    void* m_context = nullptr;
    Call m_call = nullptr;
    std::atomic<size_t> m_next{0};

    /// Its number in the upper half, a bit while it may be joined, and how many workers are at it.
    std::atomic<uint32_t> m_job{0};
    std::atomic<bool> m_stop{false};
    std::vector<std::thread> m_workers;
};

}  // namespace ingle::base
