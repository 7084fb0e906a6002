#include "engine/sampling/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace ingle::sampling {
namespace {

std::map<TokenId, int> draw(const std::vector<float>& logits, SamplerParams params, int times) {
    Sampler sampler;
    std::map<TokenId, int> counts;
    for (int i = 0; i < times; ++i) ++counts[sampler.sample(logits, params, static_cast<uint64_t>(i))];
    return counts;
}

TEST(Sampler, greedyTakesTheHighestAndTiesGoToTheLowestId) {
    Sampler sampler;
    EXPECT_EQ(sampler.sample(std::vector<float>{1, 3, 3, 2}, {.temperature = 0}, 0), 1);
    EXPECT_EQ(sampler.sample(std::vector<float>{-5}, {.temperature = 0}, 7), 0);
}

TEST(Sampler, theDrawDependsOnSeedAndPositionOnly) {
    const std::vector<float> logits{0, 0, 0, 0, 0, 0, 0, 0};
    Sampler fresh, used;
    for (uint64_t i = 0; i < 100; ++i) used.sample(logits, {.seed = 1}, i);
    bool differsBySeed = false;
    for (uint64_t i = 0; i < 100; ++i) {
        const SamplerParams params{.temperature = 1, .topK = 0, .topP = 1, .seed = 42};
        EXPECT_EQ(fresh.sample(logits, params, i), used.sample(logits, params, i));
        SamplerParams other = params;
        other.seed = 43;
        differsBySeed = differsBySeed || fresh.sample(logits, params, i) != fresh.sample(logits, other, i);
    }
    EXPECT_TRUE(differsBySeed);
}

TEST(Sampler, frequenciesFollowTheSoftmax) {
    const std::vector<float> logits{std::log(0.5f), std::log(0.3f), std::log(0.2f)};
    const auto counts = draw(logits, {.temperature = 1, .topK = 0, .topP = 1, .seed = 3}, 20000);
    // Three standard deviations of a binomial with n = 20,000 are below 215.
    EXPECT_NEAR(counts.at(0), 10000, 215);
    EXPECT_NEAR(counts.at(1), 6000, 215);
    EXPECT_NEAR(counts.at(2), 4000, 215);
}

TEST(Sampler, temperatureSharpensAndFlattens) {
    const std::vector<float> logits{1, 0};
    const auto cold = draw(logits, {.temperature = 0.25f, .topK = 0, .topP = 1}, 20000);
    const auto hot = draw(logits, {.temperature = 4, .topK = 0, .topP = 1}, 20000);
    EXPECT_NEAR(cold.at(0), 20000 / (1 + std::exp(-4.0)), 215);
    EXPECT_NEAR(hot.at(0), 20000 / (1 + std::exp(-0.25)), 215);
}

TEST(Sampler, topKKeepsTheKBestWithTiesToTheLowestId) {
    const auto counts = draw({1, 2, 2, 2, 0}, {.temperature = 1, .topK = 2, .topP = 1}, 500);
    EXPECT_EQ(counts.size(), 2u);
    EXPECT_TRUE(counts.contains(1) && counts.contains(2));
}

TEST(Sampler, topPKeepsTheFewestThatReachIt) {
    const std::vector<float> logits{std::log(0.5f), std::log(0.3f), std::log(0.2f)};
    EXPECT_EQ(draw(logits, {.temperature = 1, .topK = 0, .topP = 0.4f}, 500).size(), 1u);
    EXPECT_EQ(draw(logits, {.temperature = 1, .topK = 0, .topP = 0.7f}, 500).size(), 2u);
    EXPECT_EQ(draw(logits, {.temperature = 1, .topK = 0, .topP = 0.9f}, 500).size(), 3u);
    EXPECT_EQ(draw(logits, {.temperature = 1, .topK = 0, .topP = 0}, 500).size(), 1u);
}

TEST(Sampler, uniformStaysInRangeAndFillsIt) {
    double low = 1, high = 0;
    for (uint64_t i = 0; i < 10000; ++i) {
        const double value = uniform(9, i);
        ASSERT_GE(value, 0);
        ASSERT_LT(value, 1);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    EXPECT_LT(low, 0.01);
    EXPECT_GT(high, 0.99);
}

}  // namespace
}  // namespace ingle::sampling
