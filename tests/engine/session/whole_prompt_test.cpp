/// Families whose prompt is read as a whole: its tokens see each other, so that it is fed in one step and
/// serves no other prompt that begins alike.
#include <gtest/gtest.h>

#include "engine/lab/synth.h"
#include "tests/engine/session/model_runs.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"
#include "tests/test_name.h"

namespace ingle::session {
namespace {

constexpr TokenId kPromptBegin = 1;  // begins the answer

std::vector<std::string> families() {
    std::vector<std::string> archs;
    for (const models::ModelFamily* family : models::allFamilies())
        if (family->kind == models::FamilyKind::WholePrompt) archs.emplace_back(family->arch);
    return archs;
}

/// A prompt of so many tokens, the one that begins the answer included.
std::vector<TokenId> prompt(int length, int seed = 0) {
    std::vector<TokenId> ids;
    for (int i = 1; i < length; ++i) ids.push_back(3 + (i * 37 + seed * 11) % 300);
    ids.push_back(kPromptBegin);
    return ids;
}

class WholePrompts : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q8_0"}, m_path));
    }
    std::unique_ptr<Model> model(uint32_t threads = 0) {
        return Model::load(test::opened(m_path), {.threads = threads, .contextTokens = 1024}, nullptr)
            .value();
    }
    std::unique_ptr<Engine> engine() { return Engine::load(m_path, {.contextTokens = 512}, nullptr).value(); }

    static GenerateRequest request(std::vector<TokenId> ids) {
        GenerateRequest request;
        request.rawTokens = std::move(ids);
        request.sampler = {.temperature = 0.9f, .seed = 7};
        request.maxTokens = 20;
        return request;
    }
    static void runAll(Engine& engine) {
        while (engine.step()) {
        }
    }
    test::RecordingSink run(Engine& engine, const GenerateRequest& request) {
        test::RecordingSink sink;
        EXPECT_TRUE(engine.submit(request, sink));
        runAll(engine);
        EXPECT_TRUE(sink.result) << (sink.error ? sink.error->message : "");
        return sink;
    }
    std::vector<TokenId> alone(const GenerateRequest& request) { return run(*engine(), request).ids; }

    test::TemporaryFolder m_folder;
    std::string m_path;
};

TEST_P(WholePrompts, howTheRestIsFedChangesNoBit) {
    std::vector<TokenId> ids = prompt(50);
    for (int i = 0; i < 60; ++i) ids.push_back(3 + (i * 53) % 300);
    const auto whole = model(1);
    const std::vector<float> logits = test::logitsInChunks(*whole, ids, 64);
    for (const size_t chunk : {1u, 7u}) EXPECT_EQ(test::logitsInChunks(*whole, ids, chunk), logits) << chunk;
    EXPECT_EQ(test::logitsInChunks(*model(3), ids, 64), logits);
    EXPECT_EQ(test::logitsOverSaveAndRestore(*whole, ids), logits);  // behind the prompt
    EXPECT_EQ(test::logitsOfAFork(*whole, ids), logits);
    // The negative twin: without a token that ends it there is no prompt that sees itself.
    std::vector<TokenId> other = ids;
    other[49] = 2;
    const std::vector<float> causal = test::logitsInChunks(*whole, other, 64);
    EXPECT_FALSE(std::equal(causal.begin(), causal.begin() + 320, logits.begin()));
    // And its first token sees the last.
    other = ids;
    other[48] = 2;
    const std::vector<float> changed = test::logitsInChunks(*whole, other, 64);
    EXPECT_FALSE(std::equal(changed.begin(), changed.begin() + 320, logits.begin()));
}

TEST_P(WholePrompts, aPromptAloneHasTheBitsOfOneAmongOthers) {
    const auto all = model();
    std::vector<std::vector<TokenId>> texts;
    for (int i = 0; i < 5; ++i) texts.push_back(prompt(3 + i * 7, i));
    std::vector<std::unique_ptr<backend::SequenceMemory>> sequences;
    std::vector<backend::SequenceRun> runs;
    std::vector<TokenId> tokens;
    for (const auto& text : texts) {
        sequences.push_back(all->memory().createSequence().value());
        const uint32_t prefix = all->opened().bound.facts().prefixTokens(text);
        ASSERT_EQ(prefix, text.size() - 1);
        runs.push_back({sequences.back().get(), static_cast<uint32_t>(text.size()), prefix});
        tokens.insert(tokens.end(), text.begin(), text.end());
    }
    std::vector<uint32_t> rows(tokens.size());
    for (uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
    const auto program = all->compileAllLogits(static_cast<uint32_t>(tokens.size())).value();
    ASSERT_TRUE(program->run({tokens, runs, rows}));
    uint32_t row = 0;
    for (const auto& text : texts) {
        const std::vector<float> expected = test::logitsInChunks(*all, text, 64);
        std::vector<float> logits;
        for (size_t i = 0; i < text.size(); ++i) {
            const auto values = program->readOutput(row++).value();
            logits.insert(logits.end(), values.begin(), values.end());
        }
        EXPECT_EQ(logits, expected);
    }
}

TEST_P(WholePrompts, aPromptInPiecesIsRefused) {
    const auto whole = model();
    const std::vector<TokenId> ids = prompt(50);
    const auto sequence = whole->memory().createSequence().value();
    const backend::SequenceRun run{sequence.get(), 30, 49};
    const Status status = whole->program().run({std::span(ids).first(30), {&run, 1}, {}});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "a prefix of 49 tokens of which 30 are fed in one step");
}

TEST_P(WholePrompts, answersBesideEachOtherAreThoseAlone) {
    const auto together = engine();
    std::array<test::RecordingSink, 5> sinks;
    std::vector<GenerateRequest> requests;
    for (int i = 0; i < 5; ++i) requests.push_back(request(prompt(20 + 90 * i, i)));
    for (size_t i = 0; i < sinks.size(); ++i) ASSERT_TRUE(together->submit(requests[i], sinks[i]));
    runAll(*together);
    for (size_t i = 0; i < sinks.size(); ++i) {
        ASSERT_TRUE(sinks[i].result) << i;
        EXPECT_EQ(sinks[i].ids, alone(requests[i])) << i;
    }
}

TEST_P(WholePrompts, onlyTheSamePromptIsNotReadAgain) {
    const auto one = engine();
    const GenerateRequest first = request(prompt(200));
    const std::vector<TokenId> answer = run(*one, first).ids;
    // The same beginning of another prompt is something else.
    GenerateRequest longer = request(prompt(240));
    test::RecordingSink sink = run(*one, longer);
    EXPECT_EQ(sink.result->stats.cachedTokens, 0u);
    EXPECT_EQ(sink.ids, alone(longer));
    // Another answer to the same prompt.
    GenerateRequest again = first;
    again.sampler.seed = 8;
    sink = run(*one, again);
    EXPECT_EQ(sink.result->stats.cachedTokens, 199u);
    EXPECT_EQ(sink.ids, alone(again));
    EXPECT_NE(sink.ids, answer);
}

TEST_P(WholePrompts, aResumedAnswerIsTheUninterruptedOne) {
    const GenerateRequest first = request(prompt(100));
    const std::vector<TokenId> answer = alone(first);
    ASSERT_EQ(answer.size(), 20u);
    GenerateRequest resumed = first;
    resumed.resumeIds.assign(answer.begin(), answer.begin() + 8);
    EXPECT_EQ(alone(resumed), std::vector<TokenId>(answer.begin() + 8, answer.end()));
    // The token that begins an answer may come again in it.
    resumed.resumeIds[5] = kPromptBegin;
    EXPECT_EQ(run(*engine(), resumed).ids.size(), 12u);
}

TEST_P(WholePrompts, promptsAsLongAsTheContextAreRead) {
    GenerateRequest longest = request(prompt(512));
    EXPECT_EQ(run(*engine(), longest).result->reason, StopReason::ContextFull);
}

INSTANTIATE_TEST_SUITE_P(Table, WholePrompts, testing::ValuesIn(families()),
                         [](const auto& family) { return test::testName(family.param); });

}  // namespace
}  // namespace ingle::session
