#include "engine/backend/vulkan/substrate/submission_budget.h"

#include <gtest/gtest.h>

namespace ingle::backend::vulkan {
namespace {

using std::chrono::milliseconds;

void took(SubmissionBudget& budget, uint64_t work, milliseconds time) {
    budget.measured(std::vector<SubmissionTime>{{work, time}});
}

TEST(SubmissionBudget, growsToWhatTakesHalfOfTheTarget) {
    SubmissionBudget budget;
    took(budget, SubmissionBudget::kFirst, milliseconds(30));
    EXPECT_EQ(budget.work(), SubmissionBudget::kFirst);
    took(budget, SubmissionBudget::kFirst, milliseconds(1));
    EXPECT_EQ(budget.work(), 16 * SubmissionBudget::kFirst);
    took(budget, SubmissionBudget::kFirst, milliseconds(2));  // slower, and far from the target
    EXPECT_EQ(budget.work(), 16 * SubmissionBudget::kFirst);
    // A submission after the other in no time, because the host was late: the first one tells.
    budget.measured(std::vector<SubmissionTime>{{16 * SubmissionBudget::kFirst, milliseconds(20)},
                                                {16 * SubmissionBudget::kFirst, milliseconds(0)},
                                                {1, milliseconds(1)}});
    EXPECT_EQ(budget.work(), 16 * SubmissionBudget::kFirst);
    took(budget, uint64_t{1} << 44, milliseconds(1));
    EXPECT_EQ(budget.work(), SubmissionBudget::kMost / 2);
    budget.measured({});
    took(budget, 0, milliseconds(1));
    EXPECT_EQ(budget.work(), SubmissionBudget::kMost / 2);
}

TEST(SubmissionBudget, shrinksToWhatTakesTheTime) {
    SubmissionBudget budget;
    took(budget, SubmissionBudget::kFirst, milliseconds(51));
    EXPECT_EQ(budget.work(), SubmissionBudget::kFirst / 2);
    took(budget, SubmissionBudget::kFirst / 2, milliseconds(500));
    EXPECT_EQ(budget.work(), SubmissionBudget::kFirst / 32);
    // One of many is enough; what is a single piece cannot be cut.
    budget.measured(std::vector<SubmissionTime>{{SubmissionBudget::kFirst / 32, milliseconds(1)},
                                                {SubmissionBudget::kFirst / 32, milliseconds(51)}});
    EXPECT_EQ(budget.work(), SubmissionBudget::kFirst / 64);
    budget.measured(std::vector<SubmissionTime>{{SubmissionBudget::kFirst / 64, milliseconds(51), false}});
    EXPECT_EQ(budget.work(), SubmissionBudget::kFirst / 64);
    // It never vanishes.
    took(budget, 1, milliseconds(500));
    EXPECT_EQ(budget.work(), SubmissionBudget::kLeast);
    took(budget, SubmissionBudget::kFirst, milliseconds(60));
    EXPECT_EQ(budget.work(), SubmissionBudget::kLeast);
}

/// Devices from 10^9 to 10^14 multiply-adds a second: submissions end up between an eighth of the target and
/// the target after a few steps, and stay as they are from then on.
TEST(SubmissionBudget, settles) {
    for (const double rate : {1e9, 3e9, 1e10, 1e11, 1e12, 1e13, 1e14}) {
        SubmissionBudget budget;
        const auto submit = [&] {
            const std::chrono::duration<double> time(static_cast<double>(budget.work()) / rate);
            budget.measured(std::vector<SubmissionTime>{
                {budget.work(), std::chrono::duration_cast<std::chrono::nanoseconds>(time)}});
            return time;
        };
        for (int i = 0; i < 3; ++i) submit();
        const uint64_t settled = budget.work();
        const auto time = submit();
        EXPECT_EQ(budget.work(), settled) << rate;
        EXPECT_LE(time, SubmissionBudget::kTarget) << rate;
        EXPECT_GE(8 * time, SubmissionBudget::kTarget) << rate;
    }
}

}  // namespace
}  // namespace ingle::backend::vulkan
