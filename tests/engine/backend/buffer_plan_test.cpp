#include "engine/backend/buffer_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ingle::backend {
namespace {

/// Whether needs that meet have buffers of their own, and each fits into its own.
bool holds(std::span<const BufferNeed> needs, const BufferPlan& plan) {
    for (size_t i = 0; i < needs.size(); ++i) {
        if (plan.bufferOf[i] >= plan.sizes.size() || plan.sizes[plan.bufferOf[i]] < needs[i].bytes)
            return false;
        for (size_t j = 0; j < i; ++j) {
            const bool meet = needs[i].first <= needs[j].last && needs[j].first <= needs[i].last;
            if (meet && plan.bufferOf[i] == plan.bufferOf[j]) return false;
        }
    }
    return true;
}

TEST(PlanBuffers, whatIsNeededAtOnceLiesApart) {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        std::vector<BufferNeed> needs;
        for (uint32_t i = 0; i < 40; ++i) {
            const auto first = static_cast<uint32_t>(random() % 30);
            needs.push_back({random() % 1000, first, first + static_cast<uint32_t>(random() % 8)});
        }
        BufferPlan plan = planBuffers(needs);
        ASSERT_TRUE(holds(needs, plan)) << round;
        // The check sees a buffer that is given away too early.
        std::ranges::fill(plan.bufferOf, 0U);
        ASSERT_FALSE(holds(needs, plan));
    }
}

TEST(PlanBuffers, whatFollowsTakesTheBufferThatFitsBest) {
    //                         big          small        reads both   then both are free
    const BufferNeed needs[] = {{100, 0, 2}, {10, 1, 2}, {50, 2, 3}, {12, 3, 4}, {90, 3, 4}};
    const BufferPlan plan = planBuffers(needs);
    EXPECT_EQ(plan.sizes, (std::vector<uint64_t>{100, 12, 50}));
    EXPECT_EQ(plan.bufferOf, (std::vector<uint32_t>{0, 1, 2, 1, 0}));
}

TEST(PlanBuffers, aChainTakesTwo) {
    std::vector<BufferNeed> needs;
    for (uint32_t i = 0; i < 100; ++i) needs.push_back({64, i, i + 1});
    EXPECT_EQ(planBuffers(needs).sizes.size(), 2U);
}

}  // namespace
}  // namespace ingle::backend
