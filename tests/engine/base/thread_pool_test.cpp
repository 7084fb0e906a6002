#include "engine/base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

namespace ingle::base {
namespace {

TEST(ThreadPool, visitsEveryIndexOnceWhateverTheGrain) {
    for (const uint32_t threads : {1u, 2u, 5u}) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.numThreads(), threads);
        for (const size_t count : {0u, 1u, 7u, 1000u}) {
            for (const size_t grain : {1u, 3u, 2000u}) {
                std::vector<std::atomic<int>> visits(count);
                pool.parallelFor(count, grain, [&](size_t begin, size_t end, uint32_t thread) {
                    EXPECT_LT(thread, threads);
                    for (size_t i = begin; i < end; ++i) ++visits[i];
                });
                for (const auto& visit : visits) EXPECT_EQ(visit, 1);
            }
        }
    }
}

TEST(ThreadPool, loopsFollowEachOtherWithoutMixing) {
    ThreadPool pool(3);
    std::vector<uint64_t> values(64, 0);
    for (uint64_t round = 0; round < 5000; ++round) {
        pool.parallelFor(values.size(), 4, [&](size_t begin, size_t end, uint32_t) {
            for (size_t i = begin; i < end; ++i) values[i] += round;
        });
    }
    for (const uint64_t value : values) EXPECT_EQ(value, 5000u * 4999u / 2);
}

}  // namespace
}  // namespace ingle::base
