/// Answers looked at again: the sampler chooses as it did, whatever else ran, and what was changed is told.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include "engine/lab/synth.h"
#include "ingle/engine.h"
#include "tests/engine/session/recording_scores.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

using test::firstDifference;
using test::RecordingScores;
using test::RecordingSink;

class Scorings : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q8_0"}, m_path));
        open(1);
    }
    void open(uint32_t threads, ActivationType activations = ActivationType::Auto) {
        m_engine.reset();
        m_engine =
            Engine::load(m_path, {.threads = threads, .contextTokens = 512, .activations = activations},
                         nullptr)
                .value();
    }
    /// Of all kinds: greedy, with penalties, with filters.
    static GenerateRequest question(uint64_t number) {
        GenerateRequest request;
        request.messages = {textMessage(Role::User, fmt::format("What is fire number {}?", number))};
        request.sampler = {.temperature = number % 5 == 0 ? 0.0f : 1.0f,
                           .topK = number % 3 == 0 ? 0 : 40,
                           .repeatPenalty = number % 4 == 0 ? 1.2f : 1.0f,
                           .logitBias = {{2, -1000}},
                           .seed = 1000 + number};
        request.maxTokens = 6 + static_cast<uint32_t>(number % 23);
        return request;
    }
    void finish() {
        while (m_engine->step()) {
        }
    }
    Scores score(GenerateRequest request, std::vector<TokenId> ids, uint32_t top = 0) {
        RecordingScores sink;
        EXPECT_TRUE(m_engine->submit({std::move(request), std::move(ids), 0, 0, top}, sink));
        finish();
        EXPECT_FALSE(sink.error) << sink.error->message;
        return sink.scores.value_or(Scores{});
    }
    std::vector<TokenId> answer(const GenerateRequest& request) {
        RecordingSink sink;
        EXPECT_TRUE(m_engine->submit(request, sink));
        finish();
        return sink.ids;
    }

    test::TemporaryFolder m_folder;
    std::string m_path;
    std::unique_ptr<Engine> m_engine;
};

TEST_P(Scorings, twoHundredAnswersAreIdenticalWhateverRanBesideThemAndAfterARestart) {
    constexpr size_t kAnswers = 200, kAtOnce = 5;
    std::vector<std::vector<TokenId>> answers;
    std::vector<uint64_t> hashes;
    for (size_t first = 0; first < kAnswers; first += kAtOnce) {
        std::vector<RecordingSink> sinks(kAtOnce);
        for (size_t i = 0; i < kAtOnce; ++i) ASSERT_TRUE(m_engine->submit(question(first + i), sinks[i]));
        finish();
        for (const RecordingSink& sink : sinks) {
            answers.push_back(sink.ids);
            hashes.push_back(sink.plan.promptHash);
        }
    }
    for (const uint32_t threads : {1u, 2u, 3u}) {
        open(threads);
        for (size_t i = threads - 1; i < kAnswers; i += 3) {
            const Scores scores = score(question(i), answers[i]);
            ASSERT_EQ(scores.positions.size(), answers[i].size());
            EXPECT_EQ(firstDifference(scores), answers[i].size()) << i;
            EXPECT_EQ(scores.promptHash, hashes[i]);
        }
    }
}

TEST_P(Scorings, runWhileNoAnswerIsWrittenAndGoOnAfterIt) {
    const std::vector<TokenId> ids = answer(question(22));
    open(2);
    RecordingScores sink;
    ASSERT_TRUE(m_engine->submit({question(22), ids, 0, 0, 0}, sink));
    m_engine->step();
    m_engine->step();
    RecordingSink other;
    ASSERT_TRUE(m_engine->submit(question(7), other));
    const int steps = sink.steps;
    while (!other.result) {
        EXPECT_EQ(sink.steps, steps);
        ASSERT_TRUE(m_engine->step());
    }
    finish();
    ASSERT_TRUE(sink.scores);
    EXPECT_EQ(firstDifference(*sink.scores), ids.size());
    EXPECT_EQ(score(question(7), other.ids).positions.size(), other.ids.size());
}

TEST_P(Scorings, anotherTokenIsFoundWhereItStands) {
    const GenerateRequest request = question(5);  // greedy
    std::vector<TokenId> ids = answer(request);
    ASSERT_GT(ids.size(), 8u);
    ids[7] = ids[7] == 40 ? 41 : 40;
    const Scores scores = score(request, ids);
    EXPECT_EQ(firstDifference(scores), 7u);
    EXPECT_GT(scores.positions[7].margin, 0);
}

TEST_P(Scorings, anotherSeedOrQuestionIsTold) {
    const GenerateRequest request = question(21);
    const std::vector<TokenId> ids = answer(request);
    const uint64_t hash = score(request, ids).promptHash;
    GenerateRequest other = request;
    ++other.sampler.seed;
    EXPECT_LT(firstDifference(score(other, ids)), ids.size());
    EXPECT_EQ(score(other, ids).promptHash, hash);
    other = request;
    other.messages[0].parts[0].text += " ";
    EXPECT_NE(score(other, ids).promptHash, hash);
}

TEST_P(Scorings, theLikeliestComeFirstAndHaveProbabilities) {
    const GenerateRequest request = question(20);  // greedy, with a penalty
    const std::vector<TokenId> ids = answer(request);
    const Scores scores = score(request, ids, 5);
    for (const ScoredPosition& position : scores.positions) {
        ASSERT_EQ(position.top.size(), 5u);
        double sum = 0;
        for (size_t i = 0; i < 5; ++i) {
            EXPECT_LE(position.top[i].p, position.top[i > 0 ? i - 1 : 0].p);
            sum += position.top[i].p;
        }
        EXPECT_GT(position.top[4].p, 0);
        EXPECT_LE(sum, 1 + 1e-9);
        EXPECT_LE(position.stored.p, position.top[0].p);
    }
}

TEST_P(Scorings, anAnswerThatIsWrittenTellsTheSameChancesAndIsTheSame) {
    // Once with words that look-up guesses rightly, so that several tokens come of a step.
    for (const Guesses guesses : {Guesses::Off, Guesses::LookUp}) {
        GenerateRequest request = question(5);
        request.guesses = guesses;
        request.maxTokens = 60;
        request.sampler.repeatPenalty = 1;
        const std::vector<TokenId> ids = answer(request);
        const Scores scores = score(request, ids, 3);
        request.chances = 3;
        RecordingSink sink;
        ASSERT_TRUE(m_engine->submit(request, sink));
        finish();
        EXPECT_EQ(sink.ids, ids);
        ASSERT_EQ(sink.chances.size(), ids.size());
        for (size_t at = 0; at < ids.size(); ++at) {
            EXPECT_EQ(sink.chances[at].chosen, scores.positions[at].stored) << at;
            EXPECT_EQ(sink.chances[at].top, scores.positions[at].top) << at;
        }
        ASSERT_TRUE(sink.result);
        // What the others write has nothing to look up.
        const bool mustGuess = guesses == Guesses::LookUp && std::string_view(GetParam()) == "llama";
        EXPECT_TRUE(!mustGuess || sink.result->stats.takenTokens > 0);
    }
    GenerateRequest tooMany = question(1);
    tooMany.chances = kMostTop + 1;
    RecordingSink refused;
    const auto submitted = m_engine->submit(tooMany, refused);
    finish();
    EXPECT_TRUE(!submitted || refused.error);
}

TEST_P(Scorings, aByteOfTheTextIsFoundInItsToken) {
    GenerateRequest request = question(1);
    request.stops = {"STOP"};  // so that "STO" is held back for a while
    // Bytes, as the vocabulary of synthetic models spells them, and tokens of several letters.
    std::vector<TokenId> ids;
    std::string text;
    const auto say = [&ids](std::string_view bytes) {
        for (const char byte : bytes) ids.push_back(3 + static_cast<uint8_t>(byte));
    };
    say("<think>A thought, ö.</think>");
    for (const std::string_view spelled : {"Größe 🔥", " and STOCK, <b> ends", "漢字."}) {
        say(spelled);
        ids.push_back(3 + 256 + 28);
        text += spelled;
        text += m_engine->vocabulary()->detokenize({{ids.back()}}).value();
    }
    std::set<uint32_t> places;
    for (size_t byte = 0; byte < text.size(); ++byte) {
        RecordingScores sink;
        ASSERT_TRUE(m_engine->submit({request, ids, 0, 1, 3, static_cast<int64_t>(byte)}, sink));
        finish();
        ASSERT_TRUE(sink.scores) << sink.error->message;
        const Scores& scores = *sink.scores;
        ASSERT_EQ(scores.positions.size(), 1u);
        const ScoredToken& stored = scores.positions[0].stored;
        ASSERT_LT(scores.from, ids.size());
        EXPECT_EQ(stored.id, ids[scores.from]);
        std::vector<Part> before;
        for (const PartPiece& piece : scores.before) append(before, piece);
        EXPECT_EQ(textOf(before, PartKind::Thought), "A thought, ö.");
        const std::string written = textOf(before, PartKind::Text) + scores.withheld;
        EXPECT_TRUE(text.starts_with(written)) << written;
        EXPECT_LE(written.size(), byte);
        EXPECT_GT(written.size() + stored.text.size(), byte) << stored.text;
        places.insert(scores.from);
    }
    EXPECT_EQ(*places.rbegin(), ids.size() - 1);
    EXPECT_EQ(places.size(), ids.size() - std::string_view("<think>A thought, ö.</think>").size());
    RecordingScores behind;
    ASSERT_TRUE(m_engine->submit({request, ids, 0, 1, 3, static_cast<int64_t>(text.size())}, behind));
    finish();
    EXPECT_TRUE(behind.error);
}

TEST_P(Scorings, whatAnAnswerSaysBeforeAPlaceIsWhatGoesOn) {
    const GenerateRequest request = question(21);
    RecordingSink whole;
    ASSERT_TRUE(m_engine->submit(request, whole));
    finish();
    for (uint32_t from = 0; from < whole.ids.size(); ++from) {
        RecordingScores sink;
        ASSERT_TRUE(m_engine->submit({request, whole.ids, from, 1, 0}, sink));
        finish();
        ASSERT_TRUE(sink.scores);
        GenerateRequest rest = request;
        rest.resumeIds.assign(whole.ids.begin(), whole.ids.begin() + from);
        RecordingSink gone;
        ASSERT_TRUE(m_engine->submit(rest, gone));
        finish();
        EXPECT_EQ(gone.ids, std::vector(whole.ids.begin() + from, whole.ids.end()));
        EXPECT_EQ(test::allText(sink.scores->before) + gone.text, whole.text) << from;
    }
}

TEST_P(Scorings, aCancelEndsThem) {
    RecordingScores sink;
    sink.engine = m_engine.get();
    sink.cancelAfter = 1;
    sink.id = m_engine->submit({question(1), std::vector<TokenId>(60, 40), 0, 0, 0}, sink).value();
    finish();
    ASSERT_TRUE(sink.error);
    EXPECT_EQ(sink.error->code, ErrorCode::Cancelled);
    EXPECT_EQ(sink.steps, 1);
}

TEST_P(Scorings, whatCannotBeIsRefused) {
    for (const ScoreRequest& request :
         {ScoreRequest{question(1), {1 << 30}, 0, 0, 0}, ScoreRequest{question(1), {40, 41}, 3, 0, 0},
          ScoreRequest{question(1), {40, 41}, 1, 3, 0}, ScoreRequest{question(1), {40, 41}, 0, 0, 1000},
          ScoreRequest{question(1), std::vector<TokenId>(600, 40), 0, 0, 0}}) {
        RecordingScores sink;
        ASSERT_TRUE(m_engine->submit(request, sink));
        finish();
        ASSERT_TRUE(sink.error);
        EXPECT_EQ(sink.error->code, ErrorCode::InvalidArgument);
    }
}

TEST_P(Scorings, theReceiptTellsAChangedByteOfTheModelAndAnotherSetting) {
    const auto receipt = [&](const std::string& folder) {
        m_engine.reset();
        const auto snapshots = Snapshots::open({.folder = m_folder.file(folder)}).value();
        m_engine = Engine::load(m_path, {.contextTokens = 512}, nullptr, snapshots).value();
        Receipt found = m_engine->receipt();
        for (int i = 0; i < 1000 && found.modelHash.empty(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            found = m_engine->receipt();
        }
        return found;
    };
    const Receipt first = receipt("a");
    EXPECT_EQ(first.modelHash.size(), 32u);
    EXPECT_EQ(first.backend, "cpu");
    EXPECT_FALSE(first.instructions.empty());
    EXPECT_EQ(receipt("b"), first);
    m_engine.reset();
    {
        std::fstream file(m_path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(-1, std::ios::end);
        const auto last = static_cast<char>(file.get() ^ 1);
        file.seekp(-1, std::ios::end);
        file.put(last);
    }
    EXPECT_NE(receipt("c").modelHash, first.modelHash);
    open(1, ActivationType::F32);
    EXPECT_NE(m_engine->receipt().activations, first.activations);
    EXPECT_TRUE(m_engine->receipt().modelHash.empty()) << "nothing computes it here";
}

INSTANTIATE_TEST_SUITE_P(Table, Scorings, testing::Values("llama", "qwen35", "rwkv7"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle
