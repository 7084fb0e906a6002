#include "engine/sampling/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace ingle::sampling {
namespace {

std::map<TokenId, int> draw(const std::vector<float>& logits, SamplerParams params, int times) {
    Sampler sampler;
    std::map<TokenId, int> counts;
    for (int i = 0; i < times; ++i) ++counts[sampler.sample(logits, params, {}, static_cast<uint64_t>(i))];
    return counts;
}

TEST(Sampler, greedyTakesTheHighestAndTiesGoToTheLowestId) {
    Sampler sampler;
    EXPECT_EQ(sampler.sample(std::vector<float>{1, 3, 3, 2}, {.temperature = 0}, {}, 0), 1);
    EXPECT_EQ(sampler.sample(std::vector<float>{-5}, {.temperature = 0}, {}, 7), 0);
}

TEST(Sampler, theDrawDependsOnSeedAndPositionOnly) {
    const std::vector<float> logits{0, 0, 0, 0, 0, 0, 0, 0};
    Sampler fresh, used;
    for (uint64_t i = 0; i < 100; ++i) used.sample(logits, {.seed = 1}, {}, i);
    bool differsBySeed = false;
    for (uint64_t i = 0; i < 100; ++i) {
        const SamplerParams params{.temperature = 1, .topK = 0, .topP = 1, .minP = 0, .seed = 42};
        EXPECT_EQ(fresh.sample(logits, params, {}, i), used.sample(logits, params, {}, i));
        SamplerParams other = params;
        other.seed = 43;
        differsBySeed =
            differsBySeed || fresh.sample(logits, params, {}, i) != fresh.sample(logits, other, {}, i);
    }
    EXPECT_TRUE(differsBySeed);
}

TEST(Sampler, frequenciesFollowTheSoftmax) {
    const std::vector<float> logits{std::log(0.5f), std::log(0.3f), std::log(0.2f)};
    const auto counts = draw(logits, {.temperature = 1, .topK = 0, .topP = 1, .minP = 0, .seed = 3}, 20000);
    // Three standard deviations of a binomial with n = 20,000 are below 215.
    EXPECT_NEAR(counts.at(0), 10000, 215);
    EXPECT_NEAR(counts.at(1), 6000, 215);
    EXPECT_NEAR(counts.at(2), 4000, 215);
}

TEST(Sampler, temperatureSharpensAndFlattens) {
    const std::vector<float> logits{1, 0};
    const auto cold = draw(logits, {.temperature = 0.25f, .topK = 0, .topP = 1, .minP = 0}, 20000);
    const auto hot = draw(logits, {.temperature = 4, .topK = 0, .topP = 1, .minP = 0}, 20000);
    EXPECT_NEAR(cold.at(0), 20000 / (1 + std::exp(-4.0)), 215);
    EXPECT_NEAR(hot.at(0), 20000 / (1 + std::exp(-0.25)), 215);
}

TEST(Sampler, topKKeepsTheKBestWithTiesToTheLowestId) {
    const auto counts = draw({1, 2, 2, 2, 0}, {.temperature = 1, .topK = 2, .topP = 1, .minP = 0}, 500);
    EXPECT_EQ(counts.size(), 2u);
    EXPECT_TRUE(counts.contains(1) && counts.contains(2));
}

TEST(Sampler, topPKeepsTheFewestThatReachIt) {
    const std::vector<float> logits{std::log(0.5f), std::log(0.3f), std::log(0.2f)};
    EXPECT_EQ(draw(logits, {.temperature = 1, .topK = 0, .topP = 0.4f, .minP = 0}, 500).size(), 1u);
    EXPECT_EQ(draw(logits, {.temperature = 1, .topK = 0, .topP = 0.7f, .minP = 0}, 500).size(), 2u);
    EXPECT_EQ(draw(logits, {.temperature = 1, .topK = 0, .topP = 0.9f, .minP = 0}, 500).size(), 3u);
    EXPECT_EQ(draw(logits, {.temperature = 1, .topK = 0, .topP = 0}, 500).size(), 1u);
}

TEST(Sampler, minPKeepsWhatHasAShareOfTheBest) {
    const std::vector<float> logits{std::log(0.2f), std::log(0.5f), std::log(0.3f)};
    const auto survivors = [&](float p) {
        return draw(logits, {.temperature = 1, .topK = 0, .topP = 1, .minP = p}, 500).size();
    };
    EXPECT_EQ(survivors(0), 3u);
    EXPECT_EQ(survivors(0.39f), 3u);
    EXPECT_EQ(survivors(0.41f), 2u);
    EXPECT_EQ(survivors(0.61f), 1u);
    EXPECT_EQ(survivors(1), 1u);
}

/// Entropy of (0.5, 0.2, 0.2, 0.1) is 1.22; -ln p is 0.69, 1.61, 1.61, 2.30: nearest are the two in the
/// middle.
TEST(Sampler, typicalKeepsWhatIsNearestToTheEntropy) {
    const std::vector<float> logits{std::log(0.2f), std::log(0.1f), std::log(0.5f), std::log(0.2f)};
    const auto survivors = [&](float p) {
        return draw(logits, {.temperature = 1, .topK = 0, .typicalP = p, .topP = 1, .minP = 0}, 500);
    };
    EXPECT_EQ(survivors(0.1f).size(), 1u);
    EXPECT_TRUE(survivors(0.1f).contains(0));
    EXPECT_EQ(survivors(0.3f).size(), 2u);
    EXPECT_FALSE(survivors(0.3f).contains(2));
    EXPECT_EQ(survivors(0.8f).size(), 3u);
    EXPECT_FALSE(survivors(0.8f).contains(1));
    EXPECT_EQ(survivors(1).size(), 4u);
}

TEST(Sampler, penaltiesAndBiasCountTheLastTokensOnly) {
    Sampler sampler;
    const std::vector<float> logits{2, 1.8f, -1};
    const std::vector<TokenId> history{0, 1, 0, 2};
    const auto choose = [&](SamplerParams params) {
        params.temperature = 0;
        return sampler.sample(logits, params, history, 0);
    };
    EXPECT_EQ(choose({}), 0);
    EXPECT_EQ(choose({.repeatPenalty = 1.2f, .lastN = 2}), 1);  // 2 / 1.2 < 1.8
    EXPECT_EQ(choose({.repeatPenalty = 1.2f, .lastN = 1}), 0);
    EXPECT_EQ(choose({.frequencyPenalty = 0.15f, .lastN = 2}), 0);  // 2 - 0.15 > 1.8
    EXPECT_EQ(choose({.frequencyPenalty = 0.25f, .lastN = 4}), 1);  // 2 - 0.5 < 1.8 - 0.25
    EXPECT_EQ(choose({.presencePenalty = 0.25f, .lastN = 4}), 0);   // both lose as much
    EXPECT_EQ(choose({.presencePenalty = 0.25f, .lastN = 2}), 1);
    EXPECT_EQ(choose({.repeatPenalty = 1.2f, .lastN = 0}), 0);
    EXPECT_EQ(choose({.logitBias = {{2, 4}, {99, 100}, {-1, 100}}}), 2);  // ids outside are ignored
    EXPECT_EQ(choose({.repeatPenalty = 0.5f, .lastN = 1, .logitBias = {{2, 0.5f}}}), 0);
}

TEST(Sampler, aNegativeLogitIsMultipliedByTheRepeatPenalty) {
    Sampler sampler;
    const std::vector<TokenId> history{0};
    EXPECT_EQ(
        sampler.sample(std::vector<float>{-1, -1.5f}, {.temperature = 0, .repeatPenalty = 2}, history, 0), 1);
    EXPECT_EQ(
        sampler.sample(std::vector<float>{-1, -2.5f}, {.temperature = 0, .repeatPenalty = 2}, history, 0), 0);
}

TEST(Sampler, whatDependsOnTheBestOnlyIsKnown) {
    struct Row {
        SamplerParams params;
        bool onlyBest;
    };
    const Row rows[] = {{{}, true},
                        {{.temperature = 0, .topK = 0, .typicalP = 0.5f}, true},  // greedy
                        {{.temperature = -1, .topK = 99}, true},
                        {{.topK = 50}, true},
                        {{.topK = 51}, false},
                        {{.topK = 0}, false},
                        {{.topK = -1}, false},
                        {{.typicalP = 0.9f}, false},
                        {{.topNSigma = 1}, false},
                        {{.xtcProbability = 0.1f}, false},
                        {{.dryMultiplier = 0.8f}, false},
                        {{.temperature = 0, .repeatPenalty = 1.1f}, false},
                        {{.frequencyPenalty = 0.1f}, false},
                        {{.presencePenalty = 0.1f}, false},
                        {{.logitBias = {{1, 1}}}, false}};
    for (const Row& row : rows) EXPECT_EQ(needsOnlyBest(row.params, 50), row.onlyBest) << &row - rows;
    // What the others chose from does not matter then.
    Sampler sampler;
    std::vector<float> logits(200);
    for (size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i % 97) * 0.1f;
    std::vector<float> cut = logits;
    for (float& logit : cut) logit = logit < 4 ? -50 : logit;
    for (uint64_t i = 0; i < 100; ++i)
        EXPECT_EQ(sampler.sample(logits, {.temperature = 2}, {}, i),
                  sampler.sample(cut, {.temperature = 2}, {}, i));
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
