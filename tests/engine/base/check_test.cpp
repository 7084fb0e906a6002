#include "engine/base/check.h"

#include <gtest/gtest.h>

namespace ingle::base {
namespace {

TEST(Check, whatHoldsCostsNothing) {
    int formatted = 0;
    const auto count = [&] { return ++formatted; };
    INGLE_CHECK(formatted == 0, "{} times", count());
    EXPECT_EQ(formatted, 0);
}

TEST(CheckDeathTest, whatDoesNotHoldEndsTheProcess) {
    const size_t slot = 7;
    EXPECT_EXIT(INGLE_CHECK(slot < 3, "slot {}", slot), testing::KilledBySignal(SIGABRT),
                "^engine/base/check_test.cpp:[0-9]+: slot < 3 does not hold: slot 7\n$");
}

}  // namespace
}  // namespace ingle::base
