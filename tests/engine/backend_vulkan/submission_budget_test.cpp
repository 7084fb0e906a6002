#include "engine/backend/vulkan/substrate/submission_budget.h"

#include <gtest/gtest.h>

namespace ingle::backend::vulkan {
namespace {

using std::chrono::milliseconds;

TEST(SubmissionBudget, growsWhileThereIsTime) {
    SubmissionBudget budget;
    budget.measured(SubmissionBudget::kFirst, milliseconds(1));
    EXPECT_EQ(budget.work(), 2 * SubmissionBudget::kFirst);
    budget.measured(SubmissionBudget::kFirst, milliseconds(1));  // says nothing about twice as much
    EXPECT_EQ(budget.work(), 2 * SubmissionBudget::kFirst);
    budget.measured(2 * SubmissionBudget::kFirst, milliseconds(20));  // twice that might be too long
    EXPECT_EQ(budget.work(), 2 * SubmissionBudget::kFirst);
    for (int i = 0; i < 100; ++i) budget.measured(budget.work(), milliseconds(1));
    EXPECT_EQ(budget.work(), SubmissionBudget::kMost);
}

TEST(SubmissionBudget, shrinksToWhatTakesTheTime) {
    SubmissionBudget budget;
    budget.measured(SubmissionBudget::kFirst, milliseconds(51));
    EXPECT_EQ(budget.work(), SubmissionBudget::kFirst / 2);
    budget.measured(SubmissionBudget::kFirst / 2, milliseconds(500));
    EXPECT_EQ(budget.work(), SubmissionBudget::kFirst / 32);
    // Little work may take long for other reasons, but the budget never grows by that, and never vanishes.
    budget.measured(1, milliseconds(500));
    EXPECT_EQ(budget.work(), SubmissionBudget::kLeast);
    budget.measured(SubmissionBudget::kFirst, milliseconds(60));
    EXPECT_EQ(budget.work(), SubmissionBudget::kLeast);
}

/// Devices from 10^9 to 10^14 multiply-adds a second: submissions end up between an eighth of the target and
/// the target, and stay as they are from then on.
TEST(SubmissionBudget, settles) {
    for (const double rate : {1e9, 3e9, 1e10, 1e11, 1e12, 1e13, 1e14}) {
        SubmissionBudget budget;
        const auto submit = [&] {
            const std::chrono::duration<double> time(static_cast<double>(budget.work()) / rate);
            budget.measured(budget.work(), std::chrono::duration_cast<std::chrono::nanoseconds>(time));
            return time;
        };
        for (int i = 0; i < 40; ++i) submit();
        const uint64_t settled = budget.work();
        const auto time = submit();
        EXPECT_EQ(budget.work(), settled) << rate;
        EXPECT_LE(time, SubmissionBudget::kTarget) << rate;
        EXPECT_GE(8 * time, SubmissionBudget::kTarget) << rate;
    }
}

}  // namespace
}  // namespace ingle::backend::vulkan
