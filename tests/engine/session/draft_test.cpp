/// A second model guesses: whatever it is like, answers stay the same, and one that is the same is always
/// right.
#include "engine/session/conversations/draft.h"

#include <gtest/gtest.h>

#include "engine/lab/synth.h"
#include "engine/session/conversations/scheduler.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using test::RecordingSink;

/// Families of the model and of its draft.
using Pair = std::pair<const char*, const char*>;

class Drafts : public testing::TestWithParam<Pair> {
  protected:
    std::string write(const char* family, uint64_t seed, uint32_t vocabSize = 320) {
        const std::string path = m_folder.file(fmt::format("{}-{}-{}.gguf", family, seed, vocabSize));
        EXPECT_TRUE(lab::writeSynthModel(
            {.family = family, .sizes = {.vocabSize = vocabSize}, .quant = "Q8_0", .seed = seed}, path));
        return path;
    }
    void load(const std::string& draft) {
        m_model = Model::load(test::opened(write(GetParam().first, 1)), options(), nullptr).value();
        m_draft = DraftModel::load(draft, m_model->opened(), options()).value();
    }
    static LoadOptions options() { return {.threads = 2, .contextTokens = 4096}; }

    RecordingSink answer(const GenerateRequest& request, bool guesses) {
        Scheduler scheduler(*m_model, nullptr, m_draft.get());
        RecordingSink sink;
        auto speculation = guesses ? std::make_unique<Speculation>(m_draft->guesses(request.sampler),
                                                                   Speculation::Eagerness::Always)
                                   : nullptr;
        scheduler.submit(request, sink, std::move(speculation));
        while (scheduler.step()) {
        }
        EXPECT_TRUE(sink.result) << sink.error->message;
        return sink;
    }
    static GenerateRequest request(uint64_t number, size_t promptTokens = 30) {
        GenerateRequest request;
        for (size_t i = 0; i < promptTokens; ++i)
            request.rawTokens.push_back(static_cast<TokenId>(3 + (i * 7 + number) % 300));
        request.sampler = {.temperature = number % 2 == 0 ? 0.0f : 0.8f,
                           .repeatPenalty = number % 3 == 0 ? 1.2f : 1.0f,
                           .seed = number};
        request.maxTokens = 60;
        return request;
    }

    test::TemporaryFolder m_folder;
    std::unique_ptr<Model> m_model;
    std::unique_ptr<DraftModel> m_draft;
};

TEST_P(Drafts, thatKnowNothingChangeNothing) {
    load(write(GetParam().second, 7));
    for (uint64_t number = 0; number < 4; ++number) {
        const RecordingSink expected = answer(request(number), false);
        const RecordingSink guessed = answer(request(number), true);
        EXPECT_EQ(guessed.ids, expected.ids) << number;
        EXPECT_GT(guessed.result->stats.guessedTokens, 60u);
    }
}

TEST_P(Drafts, thatAreTheSameModelAreAlwaysRight) {
    load(write(GetParam().first, 1));
    for (uint64_t number = 0; number < 4; ++number) {
        const RecordingSink expected = answer(request(number), false);
        const RecordingSink guessed = answer(request(number), true);
        EXPECT_EQ(guessed.ids, expected.ids) << number;
        EXPECT_GT(guessed.result->stats.guessedTokens, 40u);
        EXPECT_EQ(guessed.result->stats.takenTokens, guessed.result->stats.guessedTokens) << number;
    }
}

// What they remember is short.
TEST_P(Drafts, beginAgainInALongText) {
    load(write(GetParam().second, 7));
    for (const size_t promptTokens : {1020u, 2030u, 3000u}) {
        const RecordingSink expected = answer(request(1, promptTokens), false);
        const RecordingSink guessed = answer(request(1, promptTokens), true);
        EXPECT_EQ(guessed.ids, expected.ids) << promptTokens;
        EXPECT_GT(guessed.result->stats.guessedTokens, 0u) << promptTokens;
    }
}

TEST_P(Drafts, withAnotherVocabularyAreRefusedInOneSentence) {
    const std::string draft = write(GetParam().second, 7, 352);
    const auto engine = Engine::load(write(GetParam().first, 1),
                                     {.threads = 2, .contextTokens = 256, .draft = draft}, nullptr);
    ASSERT_FALSE(engine);
    EXPECT_EQ(engine.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(engine.error().message, draft +
                                          ": a draft model needs the vocabulary of the model it is for, and "
                                          "this one has another");
}

TEST_P(Drafts, guessThroughTheEngine) {
    const std::string path = write(GetParam().first, 1);
    const auto engine = Engine::load(
        path, {.threads = 2, .contextTokens = 256, .draft = write(GetParam().second, 7)}, nullptr);
    ASSERT_TRUE(engine) << engine.error().message;
    GenerateRequest drafted = request(3);
    std::vector<std::vector<TokenId>> answers;
    for (const Guesses guesses : {Guesses::Draft, Guesses::Off}) {
        drafted.guesses = guesses;
        RecordingSink sink;
        ASSERT_TRUE((*engine)->submit(drafted, sink));
        while ((*engine)->step()) {
        }
        EXPECT_EQ(sink.result->stats.guessedTokens > 0, guesses == Guesses::Draft);
        answers.push_back(sink.ids);
    }
    EXPECT_EQ(answers[0], answers[1]);
    const auto without = Engine::load(path, {.threads = 2, .contextTokens = 256}, nullptr).value();
    drafted.guesses = Guesses::Draft;
    RecordingSink sink;
    const auto refused = without->submit(drafted, sink);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "a draft model is to guess, and none was loaded");
}

INSTANTIATE_TEST_SUITE_P(Table, Drafts,
                         testing::Values(Pair{"llama", "llama"}, Pair{"qwen35", "rwkv7"},
                                         Pair{"rwkv7", "qwen35"}),
                         [](const auto& families) {
                             return fmt::format("{}_by_{}", families.param.first, families.param.second);
                         });

TEST(Vocabularies, areTheSameWhereOnlyUnusedTokensDiffer) {
    using formats::TokenType;
    const formats::TokenizerData base{
        .model = "gpt2", .tokens = {"a", "b"}, .types = {TokenType::Normal, TokenType::Normal}};
    formats::TokenizerData padded = base;
    padded.tokens.push_back("[PAD]");
    padded.types.push_back(TokenType::Unused);
    EXPECT_TRUE(sameVocabulary(base, base));
    EXPECT_TRUE(sameVocabulary(base, padded));
    EXPECT_TRUE(sameVocabulary(padded, base));
    padded.types.back() = TokenType::Normal;
    EXPECT_FALSE(sameVocabulary(base, padded));
    formats::TokenizerData other = base;
    other.tokens[1] = "c";
    EXPECT_FALSE(sameVocabulary(base, other));
}

}  // namespace
}  // namespace ingle::session
