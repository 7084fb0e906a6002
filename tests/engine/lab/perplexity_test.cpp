#include "engine/lab/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/lab/synth.h"
#include "ingle/engine.h"
#include "tests/temporary_folder.h"

namespace ingle::lab {
namespace {

constexpr uint32_t kWindow = 40;

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
        for (size_t begin = 0; begin + kWindow <= ids.size(); begin += kWindow) {
            std::vector<TokenId> window(ids.begin() + static_cast<long>(begin),
                                        ids.begin() + static_cast<long>(begin + kWindow));
            window[0] = ids[0];  // BOS
            std::vector<std::vector<float>> rows;
            EXPECT_TRUE(engine->logits(
                window, 0, [&](std::span<const float> row) { rows.emplace_back(row.begin(), row.end()); }));
            for (size_t i = kWindow / 2; i + 1 < kWindow; ++i) {
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

std::string sampleText() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "fire number " + std::to_string(i * i) + ", ";
    return text;
}

TEST_P(Perplexity, isTheExponentialOfTheMeanSurprise) {
    const auto result = perplexity(m_path, {}, sampleText(), kWindow, nullptr);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_GT(result->numTokens, 100u);
    EXPECT_NEAR(result->perplexity, expected(sampleText()), 1e-3 * result->perplexity);
    EXPECT_GT(result->standardError, 0);
    // The negative twin: another text has another perplexity.
    std::string other = sampleText();
    std::ranges::replace(other, 'r', 'q');
    EXPECT_GT(std::abs(perplexity(m_path, {}, other, kWindow, nullptr)->perplexity - result->perplexity),
              1e-2 * result->perplexity);
}

TEST_P(Perplexity, aTextShorterThanAWindowIsOneSentence) {
    const auto result = perplexity(m_path, {}, "fire", kWindow, nullptr);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Table, Perplexity, testing::Values("llama", "rwkv5"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle::lab
