#include "engine/backend/vulkan/substrate/barriers.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace ingle::backend::vulkan {
namespace {

using Dispatches = std::vector<std::vector<Access>>;

Access reads(uint64_t buffer, uint64_t begin = 0, uint64_t end = 100) {
    return {buffer, begin, end, AccessKind::Read};
}
Access writes(uint64_t buffer, uint64_t begin = 0, uint64_t end = 100) {
    return {buffer, begin, end, AccessKind::Write};
}
Access updates(uint64_t buffer, uint64_t begin = 0, uint64_t end = 100) {
    return {buffer, begin, end, AccessKind::ReadWrite};
}

/// Before which dispatches the planner puts a barrier.
std::vector<bool> plan(const Dispatches& dispatches) {
    BarrierPlanner planner;
    std::vector<bool> barriers;
    for (const auto& accesses : dispatches) barriers.push_back(planner.add(accesses));
    return barriers;
}

TEST(Barriers, readAfterWrite) {
    EXPECT_EQ(plan({{writes(1)}, {reads(1)}}), (std::vector{false, true}));
}

TEST(Barriers, writeAfterRead) {
    EXPECT_EQ(plan({{reads(1)}, {writes(1)}}), (std::vector{false, true}));
}

TEST(Barriers, writeAfterWrite) {
    EXPECT_EQ(plan({{writes(1)}, {writes(1)}}), (std::vector{false, true}));
}

TEST(Barriers, anUpdateIsBoth) {
    EXPECT_EQ(plan({{updates(1)}, {reads(1)}, {updates(1)}}), (std::vector{false, true, true}));
    EXPECT_EQ(plan({{updates(1)}, {updates(1)}}), (std::vector{false, true}));
}

TEST(Barriers, noneBetweenReads) {
    EXPECT_EQ(plan({{reads(1)}, {reads(1)}, {reads(1), reads(2)}}), (std::vector{false, false, false}));
}

TEST(Barriers, noneBetweenOtherBuffersOrBytes) {
    EXPECT_EQ(plan({{writes(1)}, {writes(2)}, {reads(3)}}), (std::vector{false, false, false}));
    EXPECT_EQ(plan({{writes(1, 0, 50)}, {writes(1, 50, 100)}, {reads(1, 100, 150)}}),
              (std::vector{false, false, false}));
}

TEST(Barriers, oneSharedByteIsEnough) {
    EXPECT_EQ(plan({{writes(1, 0, 51)}, {writes(1, 50, 100)}}), (std::vector{false, true}));
    EXPECT_EQ(plan({{writes(1, 50, 100)}, {reads(1, 0, 51)}}), (std::vector{false, true}));
    EXPECT_EQ(plan({{writes(1, 0, 100)}, {reads(1, 40, 41)}}), (std::vector{false, true}));
    EXPECT_EQ(plan({{writes(1, 40, 41)}, {reads(1, 0, 100)}}), (std::vector{false, true}));
}

TEST(Barriers, aDispatchDoesNotCollideWithItself) {
    EXPECT_EQ(plan({{reads(1), writes(1)}}), (std::vector{false}));
}

TEST(Barriers, aChainNeedsOnePerLink) {
    EXPECT_EQ(plan({{reads(1), writes(2)}, {reads(2), writes(3)}, {reads(3), writes(1)}}),
              (std::vector{false, true, true}));
}

TEST(Barriers, siblingsShareOne) {
    // One norm, three products of it, one user of all three.
    EXPECT_EQ(plan({{reads(1), writes(2)},
                    {reads(2), writes(3)},
                    {reads(2), writes(4)},
                    {reads(2), writes(5)},
                    {reads(3), reads(4), reads(5), writes(6)}}),
              (std::vector{false, true, false, false, true}));
}

TEST(Barriers, aBarrierCoversEverythingBefore) {
    // The barrier for buffer 1 also orders buffer 2.
    EXPECT_EQ(plan({{writes(1)}, {writes(2)}, {reads(1)}, {reads(2)}}),
              (std::vector{false, false, true, false}));
}

bool collide(const std::vector<Access>& a, const std::vector<Access>& b) {
    for (const Access& x : a) {
        for (const Access& y : b) {
            const bool writes = x.kind != AccessKind::Read || y.kind != AccessKind::Read;
            if (!writes || x.buffer != y.buffer) continue;
            for (uint64_t byte = x.begin; byte < x.end; ++byte)
                if (byte >= y.begin && byte < y.end) return true;
        }
    }
    return false;
}

/// Every colliding pair has a barrier between them.
bool isSafe(const Dispatches& dispatches, uint32_t barriers) {
    for (size_t first = 0; first < dispatches.size(); ++first) {
        for (size_t second = first + 1; second < dispatches.size(); ++second) {
            const uint32_t between = (2u << second) - (2u << first);  // barriers first + 1 … second
            if ((barriers & between) == 0 && collide(dispatches[first], dispatches[second])) return false;
        }
    }
    return true;
}

TEST(Barriers, randomPlansAreSafeAndNoneIsSmaller) {
    std::mt19937 random(7);
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
    uint32_t withBarriers = 0;
    for (int round = 0; round < 300; ++round) {
        Dispatches dispatches(7);
        for (auto& accesses : dispatches) {
            for (uint32_t i = 0; i < 1 + below(3); ++i) {
                const uint32_t begin = below(8);
                accesses.push_back({1 + below(4), begin, begin + 1 + below(8),
                                    below(3) > 0 ? AccessKind::Read : AccessKind::Write});
            }
        }
        const std::vector<bool> planned = plan(dispatches);
        uint32_t barriers = 0;
        for (size_t i = 0; i < planned.size(); ++i) barriers |= uint32_t{planned[i]} << i;
        ASSERT_TRUE(isSafe(dispatches, barriers)) << "round " << round;
        withBarriers += barriers != 0;
        for (uint32_t other = 0; other < 1u << dispatches.size(); ++other) {
            if (std::popcount(other) >= std::popcount(barriers)) continue;
            ASSERT_FALSE(isSafe(dispatches, other)) << "round " << round << ": " << other;
        }
    }
    EXPECT_GT(withBarriers, 100u);
}

}  // namespace
}  // namespace ingle::backend::vulkan
