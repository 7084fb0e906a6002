/// Routing to experts: who is chosen, with which shares.
#include "engine/kernels/ref/experts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ingle::kernels {
namespace {

std::vector<float> route(const std::vector<float>& scores, size_t numUsed) {
    std::vector<float> shares(scores.size());
    routeExpertsRef(scores.data(), shares.data(), scores.size(), numUsed);
    return shares;
}

TEST(Experts, theLikeliestShareTheToken) {
    const std::vector<float> shares = route({1, 3, 2, -5}, 2);
    EXPECT_EQ(shares[0], 0);
    EXPECT_EQ(shares[3], 0);
    EXPECT_NEAR(shares[1], 1 / (1 + std::exp(-1.0)), 1e-6);
    EXPECT_NEAR(shares[1] + shares[2], 1, 1e-6);
}

TEST(Experts, equalScoresGoToTheLowerExperts) {
    EXPECT_EQ(route({0, 7, 7, 7, 7}, 2), (std::vector<float>{0, 0.5F, 0.5F, 0, 0}));
    EXPECT_EQ(route({7, 7, 9, 7}, 2)[0], route({9, 7, 7, 7}, 2)[1]);
}

TEST(Experts, neverMoreThanAsked) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float inf = std::numeric_limits<float>::infinity();
    for (const std::vector<float>& scores : {std::vector<float>{nan, 1, 2, 3},
                                             {1, nan, nan, 3},
                                             {inf, inf, 0, 1},
                                             {-inf, -inf, -inf, -inf},
                                             {1e30F, -1e30F, 0, 0}}) {
        const std::vector<float> shares = route(scores, 2);
        EXPECT_LE(std::ranges::count_if(shares, [](float share) { return share != 0; }), 2);
    }
}

TEST(Experts, resultsAreAddedWithTheirShares) {
    const std::vector<float> results{1, 2, 10, 20};  // of experts 0 and 2
    const std::vector<float> shares{0.25F, 0, 0.75F};
    std::vector<float> y(2);
    expertSumRef(results.data(), shares.data(), y.data(), shares.size(), y.size());
    EXPECT_EQ(y, (std::vector<float>{7.75F, 15.5F}));
}

}  // namespace
}  // namespace ingle::kernels
