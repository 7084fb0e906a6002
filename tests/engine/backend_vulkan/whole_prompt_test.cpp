/// Families that read a prompt or a text as a whole, on the device: it gives the CPU's numbers, also for
/// several texts in one step, and goes on from a prompt by itself.
#include "engine/sampling/sampler.h"
#include "tests/engine/backend_vulkan/synth_model.h"
#include "tests/engine/backend_vulkan/two_backends.h"
#include "tests/test_name.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kPromptRows = 48;
constexpr uint32_t kPrefix = 41;
constexpr double kPromptTolerance = 1e-8;

std::vector<std::string> families(models::FamilyKind kind) {
    std::vector<std::string> archs;
    for (const models::ModelFamily* family : models::allFamilies())
        if (family->kind == kind) archs.emplace_back(family->arch);
    return archs;
}

class VulkanWholePrompts : public TwoBackends, public testing::WithParamInterface<std::string> {
  protected:
    void SetUp() override {
        TwoBackends::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        m_model = openSynthModel(m_folder, {.family = GetParam(), .quant = "F32"}, kPromptRows);
        ASSERT_TRUE(m_model.file);
        for (int i = 0; i < 70; ++i) m_tokens.push_back((i * 37 + 11) % 320);
    }

    /// The prefix and what follows it up to kPromptRows, then `chunk` tokens a step. Logits of every row.
    std::vector<float> feed(PlanRunner& runner, SequenceMemory& sequence, uint32_t prefix, size_t chunk) {
        std::vector<float> logits;
        size_t count = kPromptRows;
        for (size_t at = 0; at < m_tokens.size(); at += count, count = chunk) {
            count = std::min(count, m_tokens.size() - at);
            const SequenceRun run{&sequence, static_cast<uint32_t>(count), prefix};
            const auto rows = runner.run(std::span(m_tokens).subspan(at, count), {&run, 1});
            logits.insert(logits.end(), rows.begin(), rows.end());
        }
        return logits;
    }

    test::TemporaryFolder m_folder;
    SynthModel m_model;
    std::vector<TokenId> m_tokens;
};

TEST_P(VulkanWholePrompts, givesTheNumbersOfTheCpu) {
    PlanRunner right(*cpu, m_model.plan, m_model.memory);
    PlanRunner ours(*vulkan, m_model.plan, m_model.memory);
    const auto expected = feed(right, *right.sequence(), kPrefix, 1);
    for (const size_t chunk : {1u, 7u})
        EXPECT_LT(nmse(feed(ours, *ours.sequence(), kPrefix, chunk), expected), kPromptTolerance) << chunk;
    // The negative twin: a shorter prompt, by one token.
    EXPECT_GT(nmse(feed(ours, *ours.sequence(), kPrefix - 1, 7), expected), 100 * kPromptTolerance);
}

TEST_P(VulkanWholePrompts, theDeviceGoesOnFromThePromptByItself) {
    PlanRunner right(*cpu, m_model.plan, m_model.memory);
    PlanRunner ours(*vulkan, m_model.plan, m_model.memory);
    const auto expected = right.sequence();
    const auto actual = ours.sequence();
    feed(right, *expected, kPrefix, 7);
    feed(ours, *actual, kPrefix, 7);
    constexpr uint32_t kSteps = 9;
    auto queue = ours.program->decodeAhead({.rows = {{.sequence = actual.get(),
                                                      .token = 5,
                                                      .sampler = {.temperature = 0},
                                                      .numIds = 320,
                                                      .prefixTokens = kPrefix}},
                                            .maxSteps = kSteps});
    ASSERT_TRUE(queue && *queue);
    sampling::Sampler sampler;
    TokenId token = 5;
    for (uint32_t i = 0; i < kSteps; ++i) {
        const SequenceRun run{expected.get(), 1, kPrefix};
        token = sampler.sample(right.run({&token, 1}, {&run, 1}), {.temperature = 0}, {}, i);
        EXPECT_EQ((*queue)->next().value()[0], token) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Table, VulkanWholePrompts,
                         testing::ValuesIn(families(models::FamilyKind::WholePrompt)),
                         [](const auto& family) { return test::testName(family.param); });

class VulkanEncoders : public TwoBackends, public testing::WithParamInterface<std::string> {
  protected:
    /// Rows of a text that is read in one step with others, one after the other.
    static std::vector<float> read(PlanRunner& runner, std::span<const TokenId> tokens,
                                   std::initializer_list<uint32_t> lengths) {
        std::vector<std::unique_ptr<SequenceMemory>> sequences;
        std::vector<SequenceRun> runs;
        for (const uint32_t length : lengths) {
            sequences.push_back(runner.sequence());
            runs.push_back({sequences.back().get(), length});
        }
        return runner.run(tokens, runs);
    }
};

TEST_P(VulkanEncoders, giveTheNumbersOfTheCpu) {
    const test::TemporaryFolder folder;
    const SynthModel model = openSynthModel(folder, {.family = GetParam(), .quant = "F32"}, kPromptRows);
    ASSERT_TRUE(model.file);
    std::vector<TokenId> tokens;
    for (int i = 0; i < static_cast<int>(kPromptRows); ++i) tokens.push_back((i * 37 + 11) % 320);
    PlanRunner right(*cpu, model.plan, model.memory);
    PlanRunner ours(*vulkan, model.plan, model.memory);
    const auto expected = read(right, tokens, {17, 1, 30});
    EXPECT_LT(nmse(read(ours, tokens, {17, 1, 30}), expected), kPromptTolerance);
    const std::span<const float> firstText = std::span(expected).first(expected.size() / kPromptRows * 17);
    EXPECT_LT(nmse(read(ours, std::span(tokens).first(17), {17}), firstText), kPromptTolerance);
    // The negative twin: a token more belongs to the first text.
    EXPECT_GT(nmse(read(ours, tokens, {18, 1, 29}), expected), 100 * kPromptTolerance);
}

INSTANTIATE_TEST_SUITE_P(Table, VulkanEncoders, testing::ValuesIn(families(models::FamilyKind::Encoder)),
                         [](const auto& family) { return test::testName(family.param); });

}  // namespace
}  // namespace ingle::backend::vulkan
