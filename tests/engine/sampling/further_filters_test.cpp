/// Top-n-sigma, XTC and DRY, against what their definitions say, computed plainly.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "engine/sampling/dry.h"
#include "engine/sampling/filters.h"

namespace ingle::sampling {
namespace {

std::set<TokenId> idsOf(const std::vector<Candidate>& candidates) {
    std::set<TokenId> ids;
    for (const Candidate& each : candidates) ids.insert(each.id);
    return ids;
}

std::vector<float> randomLogits(std::mt19937& random, size_t count) {
    std::normal_distribution<float> normal(0, 2);
    std::vector<float> logits(count);
    for (float& logit : logits) logit = normal(random);
    return logits;
}

TEST(FurtherFilters, topNSigmaKeepsWhatIsNearTheBest) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        const std::vector<float> logits = randomLogits(random, 1 + random() % 50);
        const float n = static_cast<float>(random() % 300) / 100;
        double mean = 0, squares = 0, best = logits[0];
        for (const float logit : logits) {
            mean += logit / static_cast<double>(logits.size());
            best = std::max<double>(best, logit);
        }
        for (const float logit : logits) squares += (logit - mean) * (logit - mean);
        const double sigma = std::sqrt(squares / static_cast<double>(logits.size()));
        std::set<TokenId> kept;
        for (size_t id = 0; id < logits.size(); ++id)
            if (n == 0 || logits[id] >= best - n * sigma) kept.insert(static_cast<TokenId>(id));
        std::vector<Candidate> candidates;
        topK(logits, 0, candidates);
        topNSigma(logits, n, candidates);
        EXPECT_EQ(idsOf(candidates), kept) << round << " " << n;
    }
}

TEST(FurtherFilters, theLikeliestAreLeftOutButForTheLastOfThem) {
    std::mt19937 random(2);
    for (int round = 0; round < 200; ++round) {
        const std::vector<float> logits = randomLogits(random, 1 + random() % 20);
        const float threshold = 0.05f + static_cast<float>(random() % 50) / 100;
        std::vector<Candidate> candidates;
        topK(logits, 0, candidates);
        double sum = 0;
        for (const Candidate& each : candidates) sum += std::exp(each.logit);
        size_t likely = 0;
        for (const Candidate& each : candidates) likely += std::exp(each.logit) / sum >= threshold ? 1 : 0;
        const size_t leftOut = likely > 1 ? likely - 1 : 0;
        const std::vector<Candidate> expected(candidates.begin() + static_cast<ptrdiff_t>(leftOut),
                                              candidates.end());
        excludeTopChoices(0.5f, threshold, 0.49, candidates);
        EXPECT_EQ(idsOf(candidates), idsOf(expected)) << round;
        const size_t before = candidates.size();
        excludeTopChoices(0.5f, threshold, 0.5, candidates);
        EXPECT_EQ(candidates.size(), before) << "this time all stay";
    }
}

/// For each token: the longest text that ends here and stood before that token, by comparing all places.
std::vector<float> plainlyPenalised(std::vector<float> logits, const SamplerParams& params,
                                    const std::vector<TokenId>& history, size_t unbroken) {
    const size_t size = history.size(), first = size - std::min<size_t>(size, params.dryLastN);
    std::vector<size_t> longest(logits.size());
    for (size_t next = first + 1; next < size; ++next) {
        size_t length = 0;
        while (length < unbroken && next >= first + length + 1 &&
               history[next - 1 - length] == history[size - 1 - length])
            ++length;
        size_t& most = longest[static_cast<size_t>(history[next])];
        most = std::max(most, length);
    }
    for (size_t id = 0; id < logits.size(); ++id)
        if (longest[id] > 0 && longest[id] >= params.dryAllowed)
            logits[id] -= static_cast<float>(
                params.dryMultiplier *
                std::pow(params.dryBase, static_cast<double>(longest[id] - params.dryAllowed)));
    return logits;
}

TEST(FurtherFilters, repetitionsArePenalisedByTheirLength) {
    std::mt19937 random(3);
    for (int round = 0; round < 500; ++round) {
        const size_t vocabulary = 2 + random() % 4;
        std::vector<TokenId> history(random() % 60);
        for (TokenId& id : history) id = static_cast<TokenId>(random() % vocabulary);
        const SamplerParams params{.dryMultiplier = 0.8f,
                                   .dryBase = 1.5f,
                                   .dryAllowed = static_cast<uint32_t>(random() % 4),
                                   .dryLastN = static_cast<uint32_t>(random() % 70)};
        const size_t unbroken = random() % 3 == 0 ? random() % 6 : 60;
        const std::vector<float> logits = randomLogits(random, vocabulary);
        std::vector<float> penalised = logits;
        penaliseRepetitions(penalised, params, history, unbroken);
        EXPECT_EQ(penalised, plainlyPenalised(logits, params, history, unbroken)) << round;
    }
}

TEST(FurtherFilters, aLongRepetitionStaysANumber) {
    const std::vector<TokenId> history(5000, 1);
    std::vector<float> logits{0, 0};
    penaliseRepetitions(logits, {.dryMultiplier = 1, .dryBase = 10}, history, SIZE_MAX);
    EXPECT_TRUE(std::isfinite(logits[1]));
    EXPECT_LT(logits[1], -1e20f);
    EXPECT_EQ(logits[0], 0);
}

TEST(FurtherFilters, aRepetitionEndsAtABreaker) {
    const std::vector<std::string> texts{"a", "b", "\n", " x", "\"c", "-", ">"};
    const auto bytesOf = [&](TokenId id) { return texts[static_cast<size_t>(id)]; };
    const auto since = [&](const std::vector<TokenId>& history, const std::vector<std::string>& breakers) {
        return tokensSinceBreak(history, breakers, bytesOf);
    };
    EXPECT_EQ(since({0, 1, 0}, {"\n"}), 3u);
    EXPECT_EQ(since({0, 2, 1, 0}, {"\n"}), 2u);
    EXPECT_EQ(since({0, 4, 1, 0}, {"\n", "\""}), 2u);
    EXPECT_EQ(since({2}, {"\n"}), 0u);
    EXPECT_EQ(since({0, 5, 6, 1, 0}, {"->"}), 2u);  // of two tokens
    EXPECT_EQ(since({0, 5, 1, 6, 0}, {"->"}), 5u);
    EXPECT_EQ(since({}, {"\n"}), 0u);
    EXPECT_EQ(since({0, 1}, {""}), 2u);
}

}  // namespace
}  // namespace ingle::sampling
