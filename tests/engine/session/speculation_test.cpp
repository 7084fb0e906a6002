/// Guesses change how many steps an answer takes, and nothing else: ids, ends, and what is left in memory.
#include "engine/session/conversations/speculation.h"

#include <gtest/gtest.h>

#include <deque>

#include "engine/lab/forced_guesses.h"
#include "engine/lab/synth.h"
#include "engine/session/conversations/scheduler.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using test::RecordingSink;

std::vector<TokenId> lookedUp(const std::vector<TokenId>& ids, size_t most) {
    std::vector<TokenId> guesses;
    LookUp().guess(ids, 0, most, guesses);
    return guesses;
}

using Ids = std::vector<TokenId>;

TEST(LookUps, goOnAsTheLastPlaceDidBeforeWhichMostIsTheSame) {
    EXPECT_EQ(lookedUp({1, 2, 3, 4, 9, 1, 2}, 3), (Ids{3, 4, 9}));
    EXPECT_EQ(lookedUp({8, 1, 2, 3, 7, 1, 2, 4, 9, 1, 2}, 2), (Ids{4, 9}));  // the last
    EXPECT_EQ(lookedUp({7, 1, 2, 3, 9, 1, 2, 4, 7, 1, 2}, 2), (Ids{3, 9}));  // the longest
    EXPECT_EQ(lookedUp({5, 5, 5}, 4), (Ids{5, 5, 5, 5}));                    // what repeats itself
    EXPECT_EQ(lookedUp({8, 6, 7, 6, 7, 6, 7}, 5), (Ids{6, 7, 6, 7, 6}));
}

TEST(LookUps, guessNothingWhereNothingStoodBefore) {
    EXPECT_EQ(lookedUp({}, 3), Ids{});
    EXPECT_EQ(lookedUp({1}, 3), Ids{});
    EXPECT_EQ(lookedUp({1, 2, 3, 4}, 3), Ids{});
    EXPECT_EQ(lookedUp({2, 5, 3, 2}, 3), Ids{}) << "one token says little";
    EXPECT_EQ(lookedUp({1, 2, 3, 1, 2}, 0), Ids{});
}

/// Answers of `steps` steps in which a row takes `costOfRow` of a step and each guess is right in turns of
/// `rights`; the mean of what they take for a token, as a share of what one takes without guesses.
double shareOfTime(double costOfRow, const std::vector<bool>& rights, size_t steps = 2000) {
    class Any final : public GuessSource {
        void guess(std::span<const TokenId>, size_t, size_t most, Ids& guesses) override {
            guesses.insert(guesses.end(), most, 7);
        }
    };
    Speculation speculation(std::make_unique<Any>());
    StepCosts costs;
    double seconds = 0;
    size_t tokens = 0, outcome = 0;
    for (size_t step = 0; step < steps; ++step) {
        Ids fed{1};
        const size_t guessed = speculation.guess(fed, 0, {.mostGuesses = 7}, costs, fed);
        const double took = 0.03 * (1 + costOfRow * static_cast<double>(guessed));
        costs.note(1, guessed, took);
        size_t taken = 0;
        while (taken < guessed && rights[outcome++ % rights.size()]) ++taken;
        if (guessed > 0) speculation.note(guessed, taken);
        seconds += took;
        tokens += 1 + taken;
    }
    return seconds / (0.03 * static_cast<double>(tokens));
}

TEST(Speculations, costNextToNothingWhereNoGuessIsRight) {
    for (const double costOfRow : {0.02, 0.07, 0.3, 1.0}) {
        EXPECT_LT(shareOfTime(costOfRow, {false}), 1.01) << costOfRow;
        // A short answer, which the costs are not known for.
        EXPECT_LT(shareOfTime(costOfRow, {false}, 64), costOfRow < 1 ? 1.03 : 1.05) << costOfRow;
    }
}

TEST(Speculations, areWorthIt) {
    EXPECT_LT(shareOfTime(0.07, {true}), 1 / 4.0);
    EXPECT_LT(shareOfTime(0.07, {true, false}), 1 / 1.3);
    EXPECT_LT(shareOfTime(0.3, {true, true, true, true, true, true, true, true, true, false}), 1 / 1.5);
}

TEST(Speculations, areLeftAloneWhereRowsCostAsMuchAsSteps) {
    EXPECT_LT(shareOfTime(1, {true, false}), 1.02);
    EXPECT_LT(shareOfTime(1, {true, true, false}), 1.02);
}

/// What is found worth a step is guessed when that step comes, however often it was asked meanwhile.
TEST(Speculations, guessWhatTheyWanted) {
    StepCosts costs;
    const Speculation::Outlook outlook{.mostGuesses = 7};
    const Ids repeating{5, 6, 7, 5, 6, 7, 5, 6}, other{1, 2, 3, 4};
    Speculation speculation(std::make_unique<LookUp>());
    EXPECT_FALSE(speculation.wants(repeating, outlook, costs)) << "nothing is known of costs";
    costs.note(1, 0, 0.03);
    EXPECT_FALSE(speculation.wants(other, outlook, costs)) << "there is nothing to guess";
    EXPECT_TRUE(speculation.wants(repeating, outlook, costs));
    EXPECT_TRUE(speculation.wants(repeating, outlook, costs));
    Ids fed;
    EXPECT_EQ(speculation.guess(repeating, 0, outlook, costs, fed), 1u);
    EXPECT_EQ(fed, Ids{7});
}

/// With guesses of a source that knows the answer, as many as there is room for.
class GuessedAnswers : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q8_0"}, m_path));
    }

    struct Run {
        explicit Run(const std::string& path, const std::shared_ptr<SnapshotStore>& store = nullptr)
            : model(Model::load(test::opened(path), {.threads = 2, .contextTokens = 256}, nullptr).value()),
              scheduler(*model, store) {}

        RecordingSink& submit(const GenerateRequest& request, std::unique_ptr<Speculation> speculation) {
            RecordingSink& sink = sinks.emplace_back();
            sink.id = scheduler.submit(request, sink, std::move(speculation));
            return sink;
        }
        RecordingSink& submit(const GenerateRequest& request, const RecordingSink& expected, double share) {
            return submit(request, knowing(expected, share));
        }
        void finish() {
            while (scheduler.step()) ++steps;
        }

        std::unique_ptr<Model> model;
        Scheduler scheduler;
        std::deque<RecordingSink> sinks;
        size_t steps = 0;
    };

    /// Guesses of which so many are right.
    static std::unique_ptr<Speculation> knowing(const RecordingSink& expected, double share) {
        return std::make_unique<Speculation>(std::make_unique<lab::ForcedGuesses>(expected.ids, share),
                                             Speculation::Eagerness::Always);
    }
    RecordingSink plain(const GenerateRequest& request) {
        Run run(m_path);
        run.submit(request, nullptr);
        run.finish();
        return run.sinks.front();
    }
    static void expectSame(const RecordingSink& sink, const RecordingSink& expected) {
        EXPECT_EQ(sink.ids, expected.ids);
        EXPECT_EQ(sink.text, expected.text);
        ASSERT_TRUE(sink.result) << (sink.error ? sink.error->message : "no end");
        EXPECT_EQ(sink.result->reason, expected.result->reason);
        EXPECT_EQ(sink.result->withheld, expected.result->withheld);
        EXPECT_EQ(sink.result->stats.newTokens, expected.result->stats.newTokens);
    }

    /// Of all kinds: greedy, with penalties, with filters; as text and as a chat.
    static GenerateRequest request(uint64_t number) {
        GenerateRequest request;
        if (number % 2 == 0) {
            for (uint64_t i = 0; i < 20 + number * 3; ++i)
                request.rawTokens.push_back(static_cast<TokenId>(3 + (i * 7 + number) % 300));
        } else {
            request.messages = {textMessage(Role::User, fmt::format("What is fire number {}?", number))};
        }
        request.sampler = {.temperature = number % 3 == 0 ? 0.0f : 1.0f,
                           .topK = number % 5 == 0 ? 0 : 40,
                           .repeatPenalty = number % 4 == 0 ? 1.2f : 1.0f,
                           .logitBias = {{2, -1000}},
                           .seed = 1000 + number};
        request.maxTokens = 70;
        return request;
    }

    test::TemporaryFolder m_folder;
    std::string m_path;
};

TEST_P(GuessedAnswers, areTheSameInFewerSteps) {
    for (uint64_t number = 0; number < 8; ++number) {
        const RecordingSink expected = plain(request(number));
        ASSERT_EQ(expected.ids.size(), 70u);
        for (const double share : {0.0, 0.5, 0.9, 1.0}) {
            SCOPED_TRACE(fmt::format("{}, {} of guesses are right", number, share));
            Run run(m_path);
            const RecordingSink& sink = run.submit(request(number), expected, share);
            run.finish();
            expectSame(sink, expected);
            const GenerateStats& stats = sink.result->stats;
            // Each step gives a token that was not guessed, so of right ones there are fewer than tokens.
            EXPECT_GE(stats.guessedTokens, 50u);
            const auto least = static_cast<uint32_t>(share * 30), most = static_cast<uint32_t>(share * 70);
            EXPECT_GE(stats.takenTokens, least);
            EXPECT_LE(stats.takenTokens, most);
            EXPECT_EQ(stats.takenTokens == stats.guessedTokens, share == 1);
            EXPECT_LT(run.steps, share < 0.5 ? 80u : share < 0.9 ? 60u : share < 1 ? 40u : 24u);
        }
    }
}

// Each answer goes on from what the one before left, and whatever the guesses were, that is as if there had
// been none.
TEST_P(GuessedAnswers, leaveMemoryThatIsRight) {
    GenerateRequest next = request(2);
    next.maxTokens = 23;
    Run run(m_path);
    for (int turn = 0; turn < 5; ++turn) {
        SCOPED_TRACE(turn);
        next.sampler.seed = static_cast<uint64_t>(turn);
        const RecordingSink expected = plain(next);
        const RecordingSink& sink = run.submit(next, expected, 0.6);
        run.finish();
        expectSame(sink, expected);
        EXPECT_GE(sink.result->stats.cachedTokens + 9, turn == 0 ? 0 : next.rawTokens.size() - 2);
        next.rawTokens.insert(next.rawTokens.end(), sink.ids.begin(), sink.ids.end());
        next.rawTokens.insert(next.rawTokens.end(), {7, 8});
    }
}

TEST_P(GuessedAnswers, areTheSameBesideEachOther) {
    for (const size_t count : {2u, 3u, 8u, 10u}) {
        SCOPED_TRACE(count);
        Run run(m_path);
        std::vector<RecordingSink> expected;
        for (size_t i = 0; i < count; ++i) {
            GenerateRequest one = request(i);
            one.maxTokens = 10 + static_cast<uint32_t>(7 * i % 41);
            expected.push_back(plain(one));
            run.submit(one, expected.back(), i % 2 == 0 ? 0.5 : 0.9);
        }
        run.finish();
        uint32_t taken = 0;
        for (size_t i = 0; i < count; ++i) {
            expectSame(run.sinks[i], expected[i]);
            taken += run.sinks[i].result->stats.takenTokens;
        }
        EXPECT_GT(taken, 10u);
    }
}

TEST_P(GuessedAnswers, resumeWhereTheyWereInterrupted) {
    const RecordingSink whole = plain(request(5));
    for (size_t cut = 0; cut < whole.ids.size(); cut += 9) {
        GenerateRequest rest = request(5);
        rest.resumeIds.assign(whole.ids.begin(), whole.ids.begin() + static_cast<long>(cut));
        Run run(m_path);
        const RecordingSink& sink = run.submit(rest, whole, 0.7);
        run.finish();
        Ids joined = rest.resumeIds;
        joined.insert(joined.end(), sink.ids.begin(), sink.ids.end());
        EXPECT_EQ(joined, whole.ids) << cut;
    }
}

TEST_P(GuessedAnswers, endWhereTheyWouldHaveEnded) {
    GenerateRequest base = request(7);
    base.maxTokens = 60;
    const RecordingSink whole = plain(base);
    std::vector<GenerateRequest> all;
    for (const uint32_t most : {1u, 2u, 7u, 8u, 9u, 33u}) {
        all.push_back(base);
        all.back().maxTokens = most;
    }
    // A stop string that ends in the middle of the answer, and one that only begins there.
    ASSERT_GT(whole.text.size(), 20u);
    all.push_back(base);
    all.back().stops = {whole.text.substr(whole.text.size() / 2, 3)};
    all.push_back(base);
    all.back().stops = {whole.text.substr(whole.text.size() - 2) + "never"};
    // An end token that is chosen sooner or later.
    all.push_back(base);
    all.back().sampler.logitBias = {{2, 3}};
    // A full context.
    all.push_back(request(6));
    all.back().rawTokens.resize(256 - 17, 9);
    for (size_t i = 0; i < all.size(); ++i) {
        SCOPED_TRACE(i);
        const RecordingSink expected = plain(all[i]);
        RecordingSink guessed = expected;
        guessed.ids.insert(guessed.ids.end(),
                           {2, 40, 40, 40, 40, 40, 40, 40});  // the end token is right, too
        Run run(m_path);
        const RecordingSink& sink = run.submit(all[i], guessed, 1);
        run.finish();
        expectSame(sink, expected);
    }
}

TEST_P(GuessedAnswers, areCancelledWithinTheStep) {
    const RecordingSink whole = plain(request(4));
    for (const size_t after : {1u, 2u, 5u, 30u}) {
        class Cancelling final : public GenerateSink {
          public:
            Cancelling(Scheduler& scheduler, size_t after) : m_scheduler(scheduler), m_after(after) {}
            void onPlan(const PromptPlan&) override {}
            void onProgress(uint32_t, uint32_t) override {}
            void onTokens(const TokenChunk& chunk) override {
                ids.insert(ids.end(), chunk.ids.begin(), chunk.ids.end());
                if (ids.size() == m_after) m_scheduler.cancel(id);
            }
            void onDone(const GenerateResult& result) override { reason = result.reason; }
            void onError(const Error&) override {}
            GenerationId id = 0;
            Ids ids;
            StopReason reason = StopReason::EndOfText;

          private:
            Scheduler& m_scheduler;
            size_t m_after;
        };
        Run run(m_path);
        Cancelling sink(run.scheduler, after);
        sink.id = run.scheduler.submit(request(4), sink, knowing(whole, 1));
        run.finish();
        EXPECT_EQ(sink.ids.size(), after);
        EXPECT_EQ(sink.reason, StopReason::Cancelled);
        // What it left is right.
        GenerateRequest again = request(4);
        again.resumeIds = sink.ids;
        const RecordingSink& rest = run.submit(again, nullptr);
        run.finish();
        EXPECT_EQ(rest.ids, Ids(whole.ids.begin() + static_cast<long>(after), whole.ids.end()));
    }
}

TEST_P(GuessedAnswers, followRules) {
    GenerateRequest ruled = request(1);
    ruled.sampler.logitBias.clear();
    ruled.grammar = "root ::= ([a-z]+ \" \"){12} [0-9]+";
    const RecordingSink expected = plain(ruled);
    ASSERT_TRUE(expected.result) << expected.error->message;
    Run run(m_path);
    const RecordingSink& sink = run.submit(ruled, expected, 0.8);
    run.finish();
    expectSame(sink, expected);
    EXPECT_GT(sink.result->stats.takenTokens, 5u);
}

// The look-up that everybody has.
TEST_P(GuessedAnswers, takeWhatRepeatsItself) {
    GenerateRequest repeating = request(2);
    repeating.sampler = {.temperature = 0, .logitBias = {{50, 1000}}};
    repeating.maxTokens = 100;
    const RecordingSink expected = plain(repeating);
    Run run(m_path);
    RecordingSink sink;
    run.scheduler.submit(repeating, sink);
    run.finish();
    expectSame(sink, expected);
    EXPECT_GT(sink.result->stats.takenTokens, 0u);
    repeating.guesses = Guesses::Off;
    RecordingSink off;
    run.scheduler.submit(repeating, off);
    run.finish();
    expectSame(off, expected);
    EXPECT_EQ(off.result->stats.guessedTokens, 0u);
}

INSTANTIATE_TEST_SUITE_P(Table, GuessedAnswers, testing::Values("llama", "qwen35", "rwkv7"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle::session
