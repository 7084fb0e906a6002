#include "engine/lab/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/lab/synth.h"
#include "ingle/engine.h"
#include "tests/temporary_folder.h"

namespace ingle::lab {
namespace {

constexpr uint32_t kPerplexityWindow = 40;

class Perplexity : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        ASSERT_TRUE(writeSynthModel({.family = GetParam(), .quant = "F32"}, m_path));
    }

    /// The formula of the header, from the logits of each window.
    double expected(const std::string& text) const {
        const auto vocabulary = Vocabulary::open(m_path).value();
        const std::vector<TokenId> ids = vocabulary->tokenize(text, {.addSpecial = true}).value();
        const auto engine = Engine::load(m_path, {}, nullptr).value();
        double sum = 0;
        size_t count = 0;
        for (size_t begin = 0; begin + kPerplexityWindow <= ids.size(); begin += kPerplexityWindow) {
            std::vector<TokenId> window(ids.begin() + static_cast<long>(begin),
                                        ids.begin() + static_cast<long>(begin + kPerplexityWindow));
            window[0] = ids[0];  // BOS
            std::vector<std::vector<float>> rows;
            EXPECT_TRUE(engine->logits(
                window, 0, [&](std::span<const float> row) { rows.emplace_back(row.begin(), row.end()); }));
            for (size_t i = kPerplexityWindow / 2; i + 1 < kPerplexityWindow; ++i) {
                double total = 0;
                for (const float logit : rows[i]) total += std::exp(double{logit});
                sum -= std::log(std::exp(double{rows[i][static_cast<size_t>(window[i + 1])]}) / total);
                ++count;
            }
        }
        return std::exp(sum / static_cast<double>(count));
    }

    test::TemporaryFolder m_folder;
    std::string m_path;
};

std::string perplexityText() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "fire number " + std::to_string(i * i) + ", ";
    return text;
}

TEST_P(Perplexity, isTheExponentialOfTheMeanSurprise) {
    const auto result = perplexity(m_path, {}, perplexityText(), kPerplexityWindow, nullptr);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_GT(result->numTokens, 100u);
    EXPECT_NEAR(result->perplexity, expected(perplexityText()), 1e-3 * result->perplexity);
    EXPECT_GT(result->standardError, 0);
    // The negative twin: another text has another perplexity.
    std::string other = perplexityText();
    std::ranges::replace(other, 'r', 'q');
    EXPECT_GT(
        std::abs(perplexity(m_path, {}, other, kPerplexityWindow, nullptr)->perplexity - result->perplexity),
        1e-2 * result->perplexity);
}

TEST_P(Perplexity, aTextShorterThanAWindowIsOneSentence) {
    const auto result = perplexity(m_path, {}, "fire", kPerplexityWindow, nullptr);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
}

class Divergence : public Perplexity {};

TEST_P(Divergence, isNothingFromAModelToItself) {
    const auto result = divergence(m_path, m_path, {}, perplexityText(), kPerplexityWindow, nullptr);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_NEAR(result->mean, 0, 1e-9);
    EXPECT_EQ(result->ratio, 1);
    EXPECT_EQ(result->sameBest, 1);
    EXPECT_EQ(result->rmsOfChange, 0);
    EXPECT_EQ(result->perplexity.perplexity,
              perplexity(m_path, {}, perplexityText(), kPerplexityWindow, nullptr)->perplexity);
}

TEST_P(Divergence, isTheSumOfItsDefinitionOverTheLogits) {
    const std::string other = m_folder.file("other.gguf");
    ASSERT_TRUE(writeSynthModel({.family = GetParam(), .quant = "F32", .seed = 77}, other));
    const auto vocabulary = Vocabulary::open(m_path).value();
    const std::vector<TokenId> ids = vocabulary->tokenize(perplexityText(), {.addSpecial = true}).value();
    const auto base = Engine::load(m_path, {}, nullptr).value();
    const auto model = Engine::load(other, {}, nullptr).value();
    const auto probabilitiesOf = [](Engine& engine, const std::vector<TokenId>& window) {
        std::vector<std::vector<double>> rows;
        EXPECT_TRUE(engine.logits(window, 0, [&](std::span<const float> logits) {
            std::vector<double>& row = rows.emplace_back();
            double total = 0;
            for (const float logit : logits) total += row.emplace_back(std::exp(double{logit}));
            for (double& value : row) value /= total;
        }));
        return rows;
    };
    double sum = 0;
    double squares = 0;
    double logRatio = 0;
    int count = 0;
    for (size_t begin = 0; begin + kPerplexityWindow <= ids.size(); begin += kPerplexityWindow) {
        std::vector<TokenId> window(ids.begin() + static_cast<long>(begin),
                                    ids.begin() + static_cast<long>(begin + kPerplexityWindow));
        window[0] = ids[0];  // BOS
        const auto p = probabilitiesOf(*base, window);
        const auto q = probabilitiesOf(*model, window);
        for (size_t i = kPerplexityWindow / 2; i + 1 < kPerplexityWindow; ++i, ++count) {
            for (size_t id = 0; id < p[i].size(); ++id) sum += p[i][id] * std::log(p[i][id] / q[i][id]);
            const auto next = static_cast<size_t>(window[i + 1]);
            squares += std::pow(q[i][next] - p[i][next], 2);
            logRatio += std::log(p[i][next] / q[i][next]);
        }
    }
    const auto result = divergence(other, m_path, {}, perplexityText(), kPerplexityWindow, nullptr);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->perplexity.numTokens, static_cast<uint64_t>(count));
    EXPECT_GT(result->mean, 1e-4);
    EXPECT_NEAR(result->mean, sum / count, 1e-3 * result->mean);
    EXPECT_NEAR(result->rmsOfChange, std::sqrt(squares / count), 1e-3 * result->rmsOfChange);
    EXPECT_NEAR(result->ratio, std::exp(logRatio / count), 1e-4);
    EXPECT_LE(result->median, result->worstPercent);
    EXPECT_LE(result->worstPercent, result->largest);
}

TEST_P(Divergence, modelsOfOtherVocabulariesAreRefused) {
    const std::string other = m_folder.file("other.gguf");
    ASSERT_TRUE(writeSynthModel({.family = GetParam(), .sizes = {.vocabSize = 400}, .quant = "F32"}, other));
    const auto result = divergence(other, m_path, {}, perplexityText(), kPerplexityWindow, nullptr);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Table, Divergence, testing::Values("llama", "rwkv5"),
                         [](const auto& family) { return std::string(family.param); });
INSTANTIATE_TEST_SUITE_P(Table, Perplexity, testing::Values("llama", "rwkv5"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle::lab
