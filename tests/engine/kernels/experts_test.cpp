/// Routing to experts: who is chosen, with which shares.
#include "engine/kernels/ref/experts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace ingle::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Routing {
    std::vector<float> ids;
    std::vector<float> shares;
};

Routing route(const RouteRule& rule, const std::vector<float>& x, const float* bias = nullptr,
              const float* expertScale = nullptr) {
    std::vector<float> scratch(3 * x.size());
    std::vector<float> routing(size_t{2} * rule.numUsed);
    routeExpertsRef(rule, x.data(), bias, expertScale, x.size(), scratch.data(), routing.data());
    const auto middle = routing.begin() + rule.numUsed;
    return {{routing.begin(), middle}, {middle, routing.end()}};
}

void expectNear(const std::vector<float>& got, const std::vector<double>& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-6) << i;
}

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

TEST(Experts, theLikeliestShareTheRow) {
    const Routing routing = route({.numUsed = 2, .renormalise = true}, {1, 3, 2, -5});
    EXPECT_EQ(routing.ids, (std::vector<float>{1, 2}));
    expectNear(routing.shares, {sigmoid(1), sigmoid(-1)});
}

TEST(Experts, withoutRenormalisingSharesAreThoseAmongAll) {
    const Routing routing = route({.numUsed = 2, .scale = 2.5F}, {1, 3, 2, -5});
    const double total = std::exp(1.0) + std::exp(3.0) + std::exp(2.0) + std::exp(-5.0);
    expectNear(routing.shares, {2.5 * std::exp(3.0) / total, 2.5 * std::exp(2.0) / total});
}

TEST(Experts, eachWayOfScoring) {
    const std::vector<float> x{-1, 0.5F, 2, 0};
    expectNear(route({.numUsed = 2, .scores = ExpertScores::Sigmoid}, x).shares, {sigmoid(0.5), sigmoid(2)});
    expectNear(route({.numUsed = 1, .scores = ExpertScores::SqrtSoftplus}, x).shares,
               {std::sqrt(std::log1p(std::exp(2.0)))});
    expectNear(route({.numUsed = 2, .scores = ExpertScores::SoftmaxOfChosen}, x).shares,
               {sigmoid(-1.5), sigmoid(1.5)});
}

TEST(Experts, theBiasChoosesButHasNoShare) {
    const std::vector<float> bias{10, 0, 0, 0};
    const Routing routing =
        route({.numUsed = 2, .scores = ExpertScores::Sigmoid}, {-1, 0.5F, 2, 0}, bias.data());
    EXPECT_EQ(routing.ids, (std::vector<float>{0, 2}));
    expectNear(routing.shares, {sigmoid(-1), sigmoid(2)});
}

TEST(Experts, expertsHaveScales) {
    const std::vector<float> scales{1, 2, 3, 4};
    const RouteRule rule{.numUsed = 1, .scores = ExpertScores::Sigmoid, .renormalise = true};
    expectNear(route(rule, {-1, 0.5F, 2, 0}, nullptr, scales.data()).shares, {3});
}

TEST(Experts, onlyTheBestGroupsAreOpen) {
    // Two best of each: 5 + 0, 3 + 3, 4 + 1.
    const std::vector<float> x{5, 0, 0, 3, 3, 0, 4, 1, 0};
    const RouteRule rule{.numUsed = 3, .scores = ExpertScores::SoftmaxOfChosen, .groups = 3, .groupsUsed = 1};
    EXPECT_EQ(route(rule, x).ids, (std::vector<float>{3, 4, 5}));
    RouteRule two = rule;
    two.groupsUsed = 2;  // of 5 and 5 the lower
    EXPECT_EQ(route(two, x).ids, (std::vector<float>{0, 3, 4}));
}

TEST(Experts, equalScoresGoToTheLowerExperts) {
    const RouteRule rule{.numUsed = 2, .renormalise = true};
    const Routing routing = route(rule, {0, 7, 7, 7, 7});
    EXPECT_EQ(routing.ids, (std::vector<float>{1, 2}));
    EXPECT_EQ(routing.shares, (std::vector<float>{0.5F, 0.5F}));
    EXPECT_EQ(route(rule, {7, 7, 9, 7}).ids, (std::vector<float>{0, 2}));
}

TEST(Experts, idsAreDifferentAndInRangeWhateverTheScores) {
    for (const std::vector<float>& x : {std::vector<float>{kNan, 1, 2, 3},
                                        {1, kNan, kNan, 3},
                                        {kNan, kNan, kNan, kNan},
                                        {kInf, kInf, 0, 1},
                                        {kInf, -kInf, kInf, -kInf},
                                        {-kInf, -kInf, -kInf, -kInf},
                                        {1e30F, -1e30F, 0, 0}}) {
        for (const uint32_t groups : {1U, 2U}) {
            for (const auto scores : {ExpertScores::Softmax, ExpertScores::SoftmaxOfChosen}) {
                const Routing routing =
                    route({.numUsed = 2, .scores = scores, .groups = groups, .groupsUsed = 1}, x);
                EXPECT_LT(routing.ids[0], routing.ids[1]);
                for (const float id : routing.ids) EXPECT_TRUE(id >= 0 && id < 4) << id;
            }
        }
    }
}

TEST(Experts, resultsAreAddedWithTheirShares) {
    const std::vector<float> results{1, 2, 10, 20};
    const std::vector<float> shares{0.25F, 0.75F};
    std::vector<float> y(2);
    expertSumRef(results.data(), shares.data(), y.data(), shares.size(), y.size());
    EXPECT_EQ(y, (std::vector<float>{7.75F, 15.5F}));
}

}  // namespace
}  // namespace ingle::kernels
