/// Generations through the public interface: streaming, resuming, cancelling, stopping, reuse of what is in
/// memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "engine/lab/synth.h"
#include "engine/session/conversations/prompt_planner.h"
#include "ingle/engine.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/golden.h"
#include "tests/opened.h"
#include "tests/processor_time.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

using test::RecordingSink;

class Generations : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        const std::string path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q8_0"}, path));
        m_engine = Engine::load(path, {.contextTokens = 512}, nullptr).value();
    }

    RecordingSink run(GenerateRequest request, int cancelAfter = 0) {
        RecordingSink sink;
        sink.engine = m_engine.get();
        sink.cancelAfter = cancelAfter;
        sink.id = m_engine->submit(std::move(request), sink).value();
        while (m_engine->step()) {
        }
        return sink;
    }

    static GenerateRequest question() {
        GenerateRequest request;
        request.messages = {textMessage(Role::User, "What is a fire?")};
        // The end token is ruled out: answers are as long as they may be.
        request.sampler = {
            .temperature = 1, .topK = 0, .topP = 1, .minP = 0, .logitBias = {{2, -1000}}, .seed = 77};
        request.maxTokens = 40;
        return request;
    }

    test::TemporaryFolder m_folder;
    std::unique_ptr<Engine> m_engine;
};

TEST_P(Generations, streamsAPlanThenTokensThenTheEnd) {
    const RecordingSink sink = run(question());
    EXPECT_EQ(sink.planCount, 1);
    EXPECT_EQ(sink.plan.kept, std::vector<uint32_t>{0});
    EXPECT_GT(sink.plan.promptTokens, 0u);
    EXPECT_GT(sink.progressCount, 0);
    ASSERT_TRUE(sink.result);
    EXPECT_FALSE(sink.error);
    EXPECT_EQ(sink.result->stats.newTokens, sink.ids.size());
}

TEST_P(Generations, theSameSeedGivesTheSameAnswerAndAnotherSeedAnother) {
    const RecordingSink first = run(question());
    EXPECT_EQ(run(question()).ids, first.ids);
    GenerateRequest other = question();
    other.sampler.seed = 78;
    EXPECT_NE(run(other).ids, first.ids);
}

TEST_P(Generations, aResumedAnswerEqualsTheUninterruptedOne) {
    const RecordingSink whole = run(question());
    ASSERT_GT(whole.ids.size(), 4u);
    for (size_t cut = 0; cut < whole.ids.size(); cut += 3) {
        // A fresh engine, as after a crash: nothing is in memory.
        m_engine = Engine::load(m_engine->info().path, {.contextTokens = 512}, nullptr).value();
        GenerateRequest rest = question();
        rest.resumeIds.assign(whole.ids.begin(), whole.ids.begin() + static_cast<long>(cut));
        const RecordingSink resumed = run(rest);
        std::vector<TokenId> joined = rest.resumeIds;
        joined.insert(joined.end(), resumed.ids.begin(), resumed.ids.end());
        EXPECT_EQ(joined, whole.ids) << "cut at " << cut;
        EXPECT_TRUE(whole.text.ends_with(resumed.text));
    }
}

TEST_P(Generations, aTextWithoutIdsGoesOnAsItsTokensWould) {
    const auto vocabulary = Vocabulary::open(m_engine->info().path).value();
    GenerateRequest request = question();
    request.sampler.temperature = 0;  // what is drawn counts from the beginning of the answer itself
    request.resumeIds = vocabulary->tokenize("It began so", {}).value();
    ASSERT_GT(request.resumeIds.size(), 2u);
    ASSERT_LT(request.resumeIds.size(), request.maxTokens);
    const RecordingSink byIds = run(request);
    const auto numBegun = static_cast<uint32_t>(request.resumeIds.size());
    request.resumeIds.clear();
    const RecordingSink alone = run(request);
    EXPECT_NE(alone.ids, byIds.ids);
    request.resumeText = "It began so";
    const RecordingSink byText = run(request);
    EXPECT_EQ(byText.plan.promptTokens, alone.plan.promptTokens + numBegun);
    ASSERT_LE(byIds.ids.size(), byText.ids.size()) << "the text is no part of the limit";
    EXPECT_TRUE(std::ranges::equal(byIds.ids, std::span(byText.ids).first(byIds.ids.size())));
    // After a crash the ids that came since stand behind the text.
    request.resumeIds.assign(byText.ids.begin(), byText.ids.begin() + 3);
    EXPECT_EQ(run(request).ids, std::vector(byText.ids.begin() + 3, byText.ids.end()));
}

TEST_P(Generations, anAnswerContinuedAfterItsLimitMayGrowByAsMuchAgain) {
    GenerateRequest request;
    request.rawTokens = {5, 6, 7};
    request.sampler = question().sampler;
    request.maxTokens = 10;
    const RecordingSink first = run(request);
    EXPECT_EQ(first.result->reason, StopReason::MaxTokens);
    ASSERT_EQ(first.ids.size(), 10u);
    request.resumeIds = first.ids;
    EXPECT_EQ(run(request).ids.size(), 10u);
    // After a crash in the middle it ends where it would have ended.
    request.resumeIds.resize(4);
    EXPECT_EQ(run(request).ids.size(), 6u);
}

// A beginning that somebody else wrote is no part of what limits speak of, also behind a crash.
TEST_P(Generations, aGivenBeginningIsNotLookedThroughAndDoesNotCount) {
    GenerateRequest request = question();
    request.sampler.logitBias.push_back({TokenId{3} + 'x', 1000});
    request.resumeText = "ab";
    request.maxTokens = 3;
    request.stops = {"a", "bx", "xxxx"};
    const RecordingSink whole = run(request);
    ASSERT_TRUE(whole.result);
    EXPECT_EQ(whole.result->reason, StopReason::MaxTokens);
    EXPECT_EQ(whole.ids.size(), 3u);
    EXPECT_EQ(whole.result->withheld, "xxx");
    request.resumeIds.push_back(TokenId{3} + 'x');
    EXPECT_EQ(run(request).ids.size(), 2u);
    request.stops = {"xx"};
    EXPECT_EQ(run(request).result->reason, StopReason::EndOfText) << "the first one is not given";
}

TEST_P(Generations, cancelTakesEffectWithinOneStep) {
    GenerateRequest request = question();
    request.rawTokens = {5, 6, 7};
    request.messages.clear();
    const RecordingSink sink = run(request, 3);
    EXPECT_EQ(sink.ids.size(), 3u);
    ASSERT_TRUE(sink.result);
    EXPECT_EQ(sink.result->reason, StopReason::Cancelled);
    // A cancelled generation leaves the engine usable.
    EXPECT_TRUE(run(question()).result);
}

TEST_P(Generations, aQueuedGenerationCanBeCancelledBeforeItStarts) {
    RecordingSink first, second;
    ASSERT_TRUE(m_engine->submit(question(), first));
    const GenerationId id = m_engine->submit(question(), second).value();
    m_engine->cancel(id);
    while (m_engine->step()) {
    }
    EXPECT_EQ(second.result->reason, StopReason::Cancelled);
    EXPECT_EQ(second.planCount, 0);
    EXPECT_NE(first.result->reason, StopReason::Cancelled);
}

TEST_P(Generations, whatIsInMemoryIsNotReadAgain) {
    GenerateRequest request;
    for (TokenId id = 3; id < 103; ++id) request.rawTokens.push_back(id);
    request.maxTokens = 1;
    EXPECT_EQ(run(request).result->stats.cachedTokens, 0u);
    const RecordingSink first = run(request);
    request.rawTokens.push_back(7);
    const RecordingSink longer = run(request);
    EXPECT_GE(longer.result->stats.cachedTokens, 100u);
    // And the reuse changes nothing.
    const auto fresh = Engine::load(m_engine->info().path, {}, nullptr).value();
    RecordingSink cold;
    ASSERT_TRUE(fresh->submit(request, cold));
    while (fresh->step()) {
    }
    EXPECT_EQ(cold.ids, longer.ids);
}

TEST_P(Generations, whatAToolSaidIsDroppedWithItsQuestionOnly) {
    GenerateRequest request = question();
    request.messages.clear();
    for (int turn = 0; turn < 12; ++turn)
        request.messages.push_back(
            textMessage(turn % 2 == 0 ? Role::User : Role::Assistant, "Fires and again fires."));
    const auto first = static_cast<uint32_t>(request.messages.size());
    request.messages.push_back(textMessage(Role::User, "Is it cold?"));
    request.messages.push_back(
        {Role::Assistant, {{PartKind::ToolCall, R"({"name":"weather","arguments":{}})", "weather"}}});
    request.messages.push_back({Role::User, {{PartKind::ToolResult, std::string(100, 'x'), "weather"}}});
    const PromptPlan plan = m_engine->plan(request).value();
    EXPECT_FALSE(plan.dropped.empty());
    for (uint32_t index = first; index < request.messages.size(); ++index)
        EXPECT_TRUE(std::ranges::count(plan.kept, index) == 1) << index;
    // Where the question has no room beside it, the result does not stay alone.
    request.messages[first] = textMessage(Role::User, std::string(300, 'x'));
    EXPECT_FALSE(m_engine->plan(request));
}

TEST_P(Generations, oldTurnsAreDroppedWholeAndSaidSo) {
    GenerateRequest request = question();
    request.messages = {textMessage(Role::System, "Be brief.")};
    for (int turn = 0; turn < 12; ++turn) {
        request.messages.push_back(
            textMessage(Role::User, "Question " + std::to_string(turn) + " about fires."));
        request.messages.push_back(
            textMessage(Role::Assistant, "Answer " + std::to_string(turn) + " about fires."));
    }
    request.messages.push_back(textMessage(Role::User, "And?"));
    request.pinned = {1};
    const PromptPlan plan = m_engine->plan(request).value();
    EXPECT_GT(m_engine->measure(request.messages)->tokens, plan.promptTokens) << "nothing is dropped";
    EXPECT_FALSE(plan.dropped.empty());
    EXPECT_EQ(plan.kept.size() + plan.dropped.size(), request.messages.size());
    EXPECT_LE(plan.promptTokens, 384u);  // a quarter of 256 stays free for the answer
    // System message, the pinned turn and the question stay; the oldest others go first.
    EXPECT_EQ(plan.kept[0], 0u);
    EXPECT_EQ(plan.kept[1], 1u);
    EXPECT_EQ(plan.kept.back(), request.messages.size() - 1);
    EXPECT_EQ(plan.dropped[0], 3u);
    EXPECT_TRUE(std::ranges::is_sorted(plan.dropped));
    // Dropping is as late as possible: with the last dropped turn back it would not fit.
    GenerateRequest more = request;
    more.pinned.push_back(plan.dropped.back());
    const PromptPlan other = m_engine->plan(more).value();
    EXPECT_NE(other.dropped, plan.dropped);
    // What somebody looks at is what would be read; what is dropped has figures, too.
    const PromptPreview preview = m_engine->preview(request).value();
    EXPECT_EQ(preview.plan.promptHash, plan.promptHash);
    EXPECT_EQ(preview.room, m_engine->measure(request.messages)->room);
    EXPECT_NE(preview.text.find("Question 11 about fires."), std::string::npos);
    EXPECT_EQ(preview.text.find("Question 1 about fires."), std::string::npos);
    ASSERT_EQ(preview.partTokens.size(), request.messages.size());
    const TokenizeOptions asItIs;
    EXPECT_EQ(preview.partTokens[3].at(0),
              m_engine->vocabulary()->tokenize("Question 1 about fires.", asItIs)->size());
    // Who wants nothing dropped is told instead, and only then.
    request.whenFull = WhenFull::Refuse;
    EXPECT_EQ(m_engine->plan(request).error().id, "conversationFull");
    request.messages.resize(4);
    EXPECT_TRUE(m_engine->plan(request).value().dropped.empty());
}

TEST_P(Generations, planningStopsWhenItIsNotWantedAnyMore) {
    const auto model =
        session::openModel(test::opened(m_engine->info().path), {.contextTokens = 256}).value();
    GenerateRequest request = question();
    for (int turn = 0; turn < 30; ++turn) {
        request.messages.push_back(textMessage(Role::Assistant, std::string(40, 'a')));
        request.messages.push_back(textMessage(Role::User, std::string(40, 'b')));
    }
    int asked = 0;
    const StopScope scope([&] { return ++asked > 1; });
    const auto plan = session::planPrompt(*model, request);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, ErrorCode::Cancelled);
    asked = -1000;
    ASSERT_TRUE(session::planPrompt(*model, request));
    // Once for each message and twice for each try: bisection, not one try for each turn.
    EXPECT_LT(asked, static_cast<int>(request.messages.size()) - 1000 + 20);
}

/// A template that takes half a second of the processor: it is rendered beside the steps.
TEST_P(Generations, aPromptThatTakesLongHoldsUpNobody) {
    GenerateRequest bomb = question();
    bomb.promptForm.chatTemplate =
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}";
    RecordingSink slow;
    const GenerationId id = m_engine->submit(bomb, slow).value();
    EXPECT_TRUE(m_engine->step());
    EXPECT_EQ(slow.planCount, 0);
    const double begin = test::processorSeconds();
    m_engine->cancel(id);
    m_engine->step();
    ASSERT_TRUE(slow.result);
    EXPECT_EQ(slow.result->reason, StopReason::Cancelled);
    EXPECT_LT(test::processorSeconds() - begin, 0.05);

    RecordingSink again, quick;
    const GenerationId other = m_engine->submit(bomb, again).value();
    m_engine->submit(question(), quick).value();
    while (!quick.result && m_engine->step()) {
    }
    EXPECT_TRUE(quick.result);
    m_engine->cancel(other);
    while (m_engine->step()) {
    }
    EXPECT_TRUE(again.result);
    // Nobody cancels: the model's own form is used, and the plan says why.
    const RecordingSink patient = run(bomb);
    EXPECT_NE(patient.plan.note.find("takes too long"), std::string::npos) << patient.plan.note;
}

TEST_P(Generations, aMessageThatCannotFitIsOneSentence) {
    GenerateRequest request = question();
    request.messages[0].parts[0].text = std::string(2000, 'x');
    const RecordingSink sink = run(request);
    ASSERT_TRUE(sink.error);
    EXPECT_EQ(sink.error->code, ErrorCode::InvalidArgument);
    EXPECT_NE(sink.error->message.find("too long"), std::string::npos);
}

TEST_P(Generations, aFullContextEndsTheAnswer) {
    GenerateRequest request;
    request.rawTokens = {3};
    request.maxTokens = 4000;
    request.sampler.temperature = 0;
    const RecordingSink sink = run(request);
    ASSERT_TRUE(sink.result) << sink.error->message;
    EXPECT_EQ(sink.result->reason, StopReason::ContextFull);
    EXPECT_EQ(sink.ids.size(), 512u);
    // A request may be content with less; more there is not.
    request.contextTokens = 100;
    const RecordingSink shorter = run(request);
    ASSERT_TRUE(shorter.result) << shorter.error->message;
    EXPECT_EQ(shorter.result->reason, StopReason::ContextFull);
    EXPECT_EQ(shorter.ids.size(), 100u);
    EXPECT_EQ(shorter.plan.contextTokens, 100u);
    request.contextTokens = 4096;
    EXPECT_EQ(run(request).ids.size(), 512u);
}

TEST(RecurrentModel, hasNoContextLimitUnlessAsked) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    ASSERT_TRUE(lab::writeSynthModel({.family = "rwkv5", .quant = "F32"}, path));
    GenerateRequest request;
    request.messages = {textMessage(Role::User, std::string(9000, 'x'))};
    const auto engine = Engine::load(path, {}, nullptr).value();
    EXPECT_EQ(engine->info().contextTokens, 0u);
    EXPECT_TRUE(engine->plan(request));
    EXPECT_FALSE(Engine::load(path, {.contextTokens = 1000}, nullptr).value()->plan(request));
}

TEST_P(Generations, stopStringsEndTheAnswerAndAreNotShown) {
    const RecordingSink whole = run(question());
    // Stop at two plain characters of what comes anyway (replacement characters are not what the model
    // wrote).
    const auto isPlain = [](char c) { return c > ' ' && c < '\x7f'; };
    const auto pair = std::ranges::adjacent_find(whole.text.begin() + 4, whole.text.end(),
                                                 [&](char a, char b) { return isPlain(a) && isPlain(b); });
    ASSERT_NE(pair, whole.text.end());
    const std::string stop(pair, pair + 2);
    GenerateRequest request = question();
    request.stops = {stop};
    const RecordingSink stopped = run(request);
    EXPECT_EQ(stopped.result->reason, StopReason::EndOfText);
    EXPECT_EQ(stopped.text, whole.text.substr(0, whole.text.find(stop)));
}

/// What was written before tells what comes next, also after a crash.
TEST_P(Generations, aResumedThoughtIsAThought) {
    // The token of a byte in the vocabulary of synthetic models.
    const auto byteToken = [](char c) { return TokenId{3} + static_cast<unsigned char>(c); };
    struct Row {
        std::string_view written;
        char next;
        std::vector<PartPiece> pieces;
        std::string_view withheld;
    };
    using enum PartKind;
    const Row rows[] = {{"", 'x', {{Text, "x", {}}}, ""},
                        {"<think>", 'x', {{Thought, "x", {}, true}}, ""},
                        {"<think>a", 'x', {{Thought, "x", {}}}, ""},
                        {"<think>a</think>b", 'x', {{Text, "x", {}}}, ""},
                        {"<think>a</think", '>', {}, ""},
                        {"a<tool_call>", '{', {{Text, "{", {}}}, ""},  // without tools nothing is a call
                        {"<thin", 'k', {}, "<think"},
                        {"<thin", 'g', {{Text, "<thing", {}}}, ""}};
    for (const Row& row : rows) {
        GenerateRequest request = question();
        for (const char c : row.written) request.resumeIds.push_back(byteToken(c));
        request.sampler.logitBias.push_back({byteToken(row.next), 1000});
        request.maxTokens = static_cast<uint32_t>(request.resumeIds.size()) + 1;
        const RecordingSink sink = run(request);
        ASSERT_TRUE(sink.result) << row.written;
        EXPECT_EQ(sink.pieces, row.pieces) << row.written;
        EXPECT_EQ(sink.result->withheld, row.withheld) << row.written;
    }
}

INSTANTIATE_TEST_SUITE_P(Table, Generations, testing::Values("llama", "qwen2", "rwkv5", "granitehybrid"),
                         [](const auto& family) { return std::string(family.param); });

/// Mixers in chunks go back to the prompt from the last tokens of a short answer.
TEST(RecurrentModel, aShortAnswerIsTakenBackWithoutReadingThePromptAgain) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    for (const char* family : {"qwen35", "granitehybrid", "lfm2", "rwkv7"}) {
        SCOPED_TRACE(family);
        ASSERT_TRUE(lab::writeSynthModel({.family = family, .quant = "Q8_0"}, path));
        const auto run = [&](Engine& engine, uint32_t maxTokens, TokenId last) {
            GenerateRequest request{.sampler = {.temperature = 0}, .maxTokens = maxTokens};
            for (TokenId id = 3; id < 103; ++id) request.rawTokens.push_back(id);
            request.rawTokens.back() = last;
            RecordingSink sink;
            EXPECT_TRUE(engine.submit(request, sink));
            while (engine.step()) {
            }
            return sink;
        };
        const auto engine = Engine::load(path, {.contextTokens = 512}, nullptr).value();
        const RecordingSink first = run(*engine, 12, 102);
        const bool goesBack = family != std::string_view("rwkv7");
        // The last token of a prompt is fed in any case; the prompt's chunk has 28 tokens more.
        const RecordingSink again = run(*engine, 12, 102);
        EXPECT_EQ(again.result->stats.cachedTokens, goesBack ? 99u : 0u);
        EXPECT_EQ(again.ids, first.ids);
        const RecordingSink edited = run(*engine, 40, 55);
        EXPECT_EQ(edited.result->stats.cachedTokens, goesBack ? 99u : 0u);
        EXPECT_EQ(run(*Engine::load(path, {.contextTokens = 512}, nullptr).value(), 40, 55).ids, edited.ids);
    }
}

TEST(TrainedModel, writesReadableText) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    const auto engine =
        Engine::load(test::goldenRoot() / "rwkv/tiny-rwkv-5v2-730K-Q5_0.bin", {}, nullptr).value();
    GenerateRequest request;
    request.rawPrompt = "The house in the";
    request.sampler.temperature = 0;
    request.maxTokens = 120;
    RecordingSink sink;
    ASSERT_TRUE(engine->submit(request, sink));
    while (engine->step()) {
    }
    // Letters and spaces, words of sensible length: what an untrained or miscomputed model does not give.
    const auto plain = std::ranges::count_if(sink.text, [](char c) { return std::isalpha(c) || c == ' '; });
    EXPECT_GT(static_cast<double>(plain), 0.9 * static_cast<double>(sink.text.size())) << sink.text;
    const auto spaces = std::ranges::count(sink.text, ' ');
    EXPECT_GT(spaces, 12) << sink.text;
    EXPECT_LT(spaces, 50) << sink.text;
}

}  // namespace
}  // namespace ingle
