#include "engine/backend/vulkan/program/step_patience.h"

#include <gtest/gtest.h>

namespace ingle::backend::vulkan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(StepPatience, followsTheSlowestStep) {
    StepPatience patience;
    for (const uint32_t rows : {1U, 2U, 64U, 72U}) patience.took(rows, milliseconds(1));
    patience.took(1, milliseconds(30));
    EXPECT_EQ(patience.limit(1), seconds(10));
    EXPECT_EQ(patience.limit(72), milliseconds(21600));  // a row of a prompt takes no longer than an answer's
    patience.took(1, seconds(4));
    EXPECT_EQ(patience.limit(1), seconds(40));
    patience.took(64, seconds(64));
    EXPECT_EQ(patience.limit(1), seconds(40));  // it does not forget
    patience.took(64, seconds(640));
    EXPECT_EQ(patience.limit(2), seconds(200));
}

/// What compiles when it first runs gets the time for that, which says little of how long it takes.
TEST(StepPatience, whatNeverRanHasTime) {
    StepPatience patience;
    EXPECT_EQ(patience.limit(1), seconds(120));
    patience.took(1, seconds(30));
    EXPECT_EQ(patience.limit(1), seconds(60));  // it may be as slow as that
    patience.took(1, milliseconds(5));
    EXPECT_EQ(patience.limit(1), seconds(10));
    EXPECT_EQ(patience.limit(2), seconds(120));
    EXPECT_EQ(patience.limit(64), seconds(120));
    patience.took(64, seconds(3));
    EXPECT_EQ(patience.limit(64), seconds(10));
    EXPECT_EQ(patience.limit(2), seconds(120));
}

}  // namespace
}  // namespace ingle::backend::vulkan
