/// Many generations at once: each gets what it would get alone, and none waits for the others.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/lab/synth.h"
#include "ingle/error_ids.h"
#include "tests/engine/session/little_memory.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

using test::RecordingSink;

class ManySessions : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q8_0"}, m_path));
        m_engine = load();
    }
    std::unique_ptr<Engine> load() { return Engine::load(m_path, {.contextTokens = 256}, nullptr).value(); }

    /// Requests of different lengths, samplers and seeds.
    static GenerateRequest request(int index) {
        GenerateRequest request;
        for (int i = 0; i < 20 + index * 13; ++i) request.rawTokens.push_back(3 + (i * 7 + index) % 300);
        request.sampler = {.temperature = index % 3 == 0 ? 0.0f : 0.9f,
                           .repeatPenalty = index % 2 == 0 ? 1.0f : 1.3f,
                           .seed = static_cast<uint64_t>(index)};
        request.maxTokens = 12 + static_cast<uint32_t>(index);
        return request;
    }

    std::vector<TokenId> alone(const GenerateRequest& request) {
        const auto engine = load();
        RecordingSink sink;
        EXPECT_TRUE(engine->submit(request, sink));
        while (engine->step()) {
        }
        EXPECT_TRUE(sink.result);
        return sink.ids;
    }

    test::TemporaryFolder m_folder;
    std::string m_path;
    std::unique_ptr<Engine> m_engine;
};

TEST_P(ManySessions, eachGetsWhatItGetsAlone) {
    std::array<RecordingSink, 11> sinks;  // more than run at once
    for (size_t i = 0; i < sinks.size(); ++i)
        ASSERT_TRUE(m_engine->submit(request(static_cast<int>(i)), sinks[i]));
    while (m_engine->step()) {
    }
    for (size_t i = 0; i < sinks.size(); ++i) {
        EXPECT_EQ(sinks[i].ids, alone(request(static_cast<int>(i)))) << i;
        EXPECT_EQ(sinks[i].result->reason, StopReason::MaxTokens);
    }
}

// The memory of one context: whoever began last waits until there is room again.
TEST_P(ManySessions, eachGetsWhatItGetsAloneWhereMemoryIsShort) {
    {
        const test::LittleMemory little(64 << 20, 1 << 20);
        m_engine = Engine::load(m_path, {.contextTokens = 256, .loadAnyway = true}, nullptr).value();
    }
    std::array<RecordingSink, 9> sinks;
    for (size_t i = 0; i < sinks.size(); ++i)
        ASSERT_TRUE(m_engine->submit(request(static_cast<int>(i)), sinks[i]));
    while (m_engine->step()) {
    }
    for (size_t i = 0; i < sinks.size(); ++i) {
        ASSERT_TRUE(sinks[i].result) << i << sinks[i].error->message;
        EXPECT_EQ(sinks[i].ids, alone(request(static_cast<int>(i)))) << i;
    }
}

TEST_P(ManySessions, aLongPromptDoesNotHoldUpAnAnswer) {
    RecordingSink writing, reading;
    GenerateRequest quick = request(0);
    quick.maxTokens = 100;
    ASSERT_TRUE(m_engine->submit(quick, writing));
    while (writing.ids.empty()) m_engine->step();
    GenerateRequest slow = request(1);
    slow.rawTokens.assign(200, 9);
    ASSERT_TRUE(m_engine->submit(slow, reading));
    size_t stepsBeside = 0;
    for (; reading.ids.empty(); ++stepsBeside) {
        const size_t before = writing.ids.size();
        ASSERT_TRUE(m_engine->step());
        EXPECT_EQ(writing.ids.size(), before + 1) << "step " << stepsBeside;
    }
    EXPECT_GT(stepsBeside, 5u);   // the prompt came in pieces …
    EXPECT_LT(stepsBeside, 40u);  // … but came
}

TEST_P(ManySessions, twoLongPromptsTakeTurns) {
    RecordingSink sinks[2];
    for (int i = 0; i < 2; ++i) {
        GenerateRequest slow = request(i);
        slow.rawTokens.assign(230, 9 + i);
        ASSERT_TRUE(m_engine->submit(slow, sinks[i]));
    }
    for (int i = 0; i < 4; ++i) m_engine->step();
    EXPECT_EQ(sinks[0].progressCount, 2);
    EXPECT_EQ(sinks[1].progressCount, 2);
}

TEST(LongPrompt, isTokenizedWhileOthersAreAnswered) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    ASSERT_TRUE(lab::writeSynthModel({.family = "rwkv5", .quant = "Q8_0"}, path));
    const auto engine = Engine::load(path, {}, nullptr).value();
    RecordingSink writing, reading, after;
    ASSERT_TRUE(engine->submit({.maxTokens = 100, .rawTokens = {5, 6, 7}}, writing));
    while (writing.ids.empty()) engine->step();
    const GenerationId slow = engine->submit({.rawPrompt = std::string(1 << 20, 'x')}, reading).value();
    for (size_t numTokens = 2; numTokens < 12; ++numTokens) {
        ASSERT_TRUE(engine->step());
        ASSERT_EQ(writing.ids.size(), numTokens);
    }
    EXPECT_EQ(reading.planCount, 0) << "the text is short: nothing was tested";
    engine->cancel(slow);
    engine->step();
    ASSERT_TRUE(reading.result);
    EXPECT_EQ(reading.result->reason, StopReason::Cancelled);
    // Another long one waits for its thread, and is answered.
    const std::string text(40'000, 'x');
    ASSERT_TRUE(engine->submit({.maxTokens = 1, .rawPrompt = text}, after));
    while (engine->step()) {
    }
    ASSERT_TRUE(after.result);
    EXPECT_GT(after.plan.promptTokens, 0u);
}

// So long a text is refused by its bytes.
TEST(LongPrompt, thatCannotFitIsNotTokenized) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    ASSERT_TRUE(lab::writeSynthModel({.family = "llama", .quant = "Q8_0"}, path));
    const auto engine = Engine::load(path, {.contextTokens = 256}, nullptr).value();
    const std::string text(1 << 20, 'x');
    RecordingSink sinks[2];
    ASSERT_TRUE(engine->submit({.rawPrompt = text}, sinks[0]));
    const std::vector<ChatMessage> messages{textMessage(Role::User, text)};
    ASSERT_TRUE(engine->submit({.messages = messages, .whenFull = WhenFull::Refuse}, sinks[1]));
    while (engine->step()) {
    }
    for (const RecordingSink& sink : sinks) {
        ASSERT_TRUE(sink.error);
        ASSERT_EQ(errorIdOf(*sink.error), ErrorId::ConversationFull);
        EXPECT_LT(std::stoull(sink.error->arguments[0]), text.size() / 4) << "each byte is a token";
    }
}

TEST_P(ManySessions, cancellingOneLeavesTheOthersAlone) {
    std::array<RecordingSink, 4> sinks;
    std::array<GenerationId, 4> ids{};
    for (size_t i = 0; i < sinks.size(); ++i)
        ids[i] = m_engine->submit(request(static_cast<int>(i)), sinks[i]).value();
    while (sinks[2].ids.size() < 3) m_engine->step();
    m_engine->cancel(ids[2]);
    m_engine->step();
    ASSERT_TRUE(sinks[2].result);
    EXPECT_EQ(sinks[2].result->reason, StopReason::Cancelled);
    while (m_engine->step()) {
    }
    for (const size_t i : {0u, 1u, 3u}) EXPECT_EQ(sinks[i].ids, alone(request(static_cast<int>(i)))) << i;
}

TEST_P(ManySessions, whoWaitsBehindTheOthersIsCancelledAtOnce) {
    std::array<RecordingSink, kMostAtOnce + 3> sinks;
    std::array<GenerationId, kMostAtOnce + 3> ids{};
    for (size_t i = 0; i < sinks.size(); ++i) {
        GenerateRequest one = request(static_cast<int>(i % kMostAtOnce));
        one.maxTokens = 60;
        ids[i] = m_engine->submit(one, sinks[i]).value();
    }
    while (sinks[kMostAtOnce - 1].ids.empty()) m_engine->step();
    m_engine->cancel(ids.back());
    m_engine->step();
    ASSERT_TRUE(sinks.back().result);
    EXPECT_EQ(sinks.back().result->reason, StopReason::Cancelled);
    EXPECT_FALSE(sinks[kMostAtOnce].result);
}

TEST_P(ManySessions, aRequestThatCannotBeDoesNotDisturbTheOthers) {
    std::array<RecordingSink, 3> sinks;
    for (size_t i = 0; i < sinks.size(); ++i) {
        GenerateRequest one = request(static_cast<int>(i));
        if (i == 1) one.rawTokens[5] = 100'000;  // outside the vocabulary
        ASSERT_TRUE(m_engine->submit(one, sinks[i]));
    }
    while (m_engine->step()) {
    }
    ASSERT_TRUE(sinks[1].error);
    EXPECT_EQ(sinks[1].error->code, ErrorCode::InvalidArgument);
    for (const size_t i : {0u, 2u}) EXPECT_EQ(sinks[i].ids, alone(request(static_cast<int>(i)))) << i;
}

/// A recurrent state has no pages to share.
using ManyTransformerSessions = ManySessions;

TEST_P(ManyTransformerSessions, aCommonBeginningIsReadOnce) {
    std::array<RecordingSink, 4> sinks;
    GenerateRequest common = request(3);
    common.rawTokens.assign(150, 17);
    for (size_t i = 0; i < sinks.size(); ++i) {
        GenerateRequest one = common;
        one.rawTokens.push_back(static_cast<TokenId>(20 + i));
        one.sampler.seed = i;
        ASSERT_TRUE(m_engine->submit(one, sinks[i]));
    }
    while (m_engine->step()) {
    }
    EXPECT_EQ(sinks[0].result->stats.cachedTokens, 0u);
    for (size_t i = 1; i < sinks.size(); ++i) {
        EXPECT_GE(sinks[i].result->stats.cachedTokens, 128u) << i;
        GenerateRequest one = common;
        one.rawTokens.push_back(static_cast<TokenId>(20 + i));
        one.sampler.seed = i;
        EXPECT_EQ(sinks[i].ids, alone(one)) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Table, ManyTransformerSessions, testing::Values("llama", "qwen3"),
                         [](const auto& family) { return std::string(family.param); });
INSTANTIATE_TEST_SUITE_P(Table, ManySessions, testing::Values("llama", "rwkv5", "rwkv7"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle
