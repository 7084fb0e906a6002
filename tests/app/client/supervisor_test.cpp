/// What the supervisor says and does, without a process and without time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <numeric>
#include <set>

#include "ingle/error_ids.h"
#include "tests/app/client/supervised.h"

namespace ingle::client {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(SupervisorTest, RepliesFindTheirRequestsInAnyOrder) {
    std::string first;
    std::string second;
    const auto a = inspect("a", first);
    const auto b = inspect("b", second);
    serve();
    ASSERT_EQ(got<protocol::Inspect>().size(), 2u) << "both are with the host at once";
    ModelInfo info;
    info.path = "B";
    say(b, protocol::Inspected{info});
    EXPECT_EQ(second, "B");
    EXPECT_EQ(first, "");
    info.path = "A";
    say(a, protocol::Inspected{info});
    say(a, protocol::Inspected{info});  // nobody waits for it any more
    EXPECT_EQ(first, "A");
    EXPECT_EQ(m_starts, 1);
}

TEST_F(SupervisorTest, AnswersOfOneConversationComeOneAfterAnother) {
    load();
    Answer first, next, other;
    const auto a = askFor(first, "1");
    const auto b = askFor(next, "1");
    const auto c = askFor(other, "2");
    ASSERT_EQ(got<protocol::Generate>().size(), 2u);
    EXPECT_EQ(got<protocol::Generate>()[0].first, a);
    EXPECT_EQ(got<protocol::Generate>()[1].first, c);
    say(a, protocol::Done{});
    ASSERT_EQ(got<protocol::Generate>().size(), 3u);
    EXPECT_EQ(got<protocol::Generate>()[2].first, b);
}

TEST_F(SupervisorTest, AnotherModelWaitsForAnswersAndLaterAnswersWaitForIt) {
    load();
    Answer before, after;
    std::string heard;
    const auto a = askFor(before, "1");
    ask(protocol::Load{"other.gguf", {}}, Handlers<protocol::Load>{});
    askFor(after, "2");
    inspect("i", heard);
    EXPECT_EQ(got<protocol::Load>().size(), 1u);
    EXPECT_EQ(got<protocol::Generate>().size(), 1u);
    EXPECT_EQ(got<protocol::Inspect>().size(), 1u) << "that needs no model";
    say(a, protocol::Done{});
    ASSERT_EQ(got<protocol::Load>().size(), 2u);
    EXPECT_EQ(got<protocol::Load>()[1].second.path, "other.gguf");
    EXPECT_EQ(got<protocol::Generate>().size(), 1u);
    serve();
    EXPECT_EQ(got<protocol::Generate>().size(), 2u);
}

TEST_F(SupervisorTest, AModelThatNothingUsesRestsUntilItIsUsed) {
    m_supervisor.restAfter(30min);
    load();
    Answer answer;
    const auto a = askFor(answer, "1");
    m_now += 31min;
    m_supervisor.tick();
    EXPECT_EQ(got<protocol::Unload>().size(), 0u) << "an answer is being written";
    say(a, protocol::Done{});
    ASSERT_TRUE(m_supervisor.nextDeadline());
    EXPECT_EQ(*m_supervisor.nextDeadline(), m_now + 30min);
    m_now += 29min;
    m_supervisor.tick();
    EXPECT_EQ(got<protocol::Unload>().size(), 0u);
    std::string heard;
    say(inspect("i", heard), protocol::Inspected{});
    m_now += 1min;
    m_supervisor.tick();
    EXPECT_EQ(got<protocol::Unload>().size(), 1u) << "to look at files needs no model";
    EXPECT_FALSE(m_supervisor.nextDeadline());
    // The next question loads it again, and only then goes out.
    Answer next;
    askFor(next, "1");
    ASSERT_EQ(got<protocol::Load>().size(), 2u);
    EXPECT_EQ(got<protocol::Load>()[1].second.path, "m.gguf");
    EXPECT_EQ(got<protocol::Generate>().size(), 1u);
    serve();
    EXPECT_EQ(got<protocol::Generate>().size(), 2u);
    EXPECT_EQ(m_starts, 1);
    // And nothing rests that is not asked to.
    m_supervisor.restAfter(std::nullopt);
    say(got<protocol::Generate>()[1].first, protocol::Done{});
    m_now += 24h;
    m_supervisor.tick();
    EXPECT_EQ(got<protocol::Unload>().size(), 1u);
}

TEST_F(SupervisorTest, AModelThatComparesTextsRestsWithoutOneThatWrites) {
    m_supervisor.restAfter(30min);
    const auto compare = [this] {
        return ask(protocol::Embed{"e.gguf", {"a lamp"}}, Handlers<protocol::Embed>{});
    };
    auto asked = compare();
    serve();
    m_now += 31min;
    m_supervisor.tick();
    EXPECT_EQ(got<protocol::Unload>().size(), 0u) << "texts are being compared";
    say(asked, protocol::Embedded{});
    ASSERT_TRUE(m_supervisor.nextDeadline());
    EXPECT_EQ(*m_supervisor.nextDeadline(), m_now + 30min);
    m_now += 30min;
    m_supervisor.tick();
    EXPECT_EQ(got<protocol::Unload>().size(), 1u);
    EXPECT_FALSE(m_supervisor.nextDeadline());
    // Beside one that writes, and after that has come to rest.
    load();
    m_now += 20min;
    asked = compare();
    say(asked, protocol::Embedded{});
    m_now += 20min;
    m_supervisor.tick();
    EXPECT_EQ(got<protocol::Unload>().size(), 1u) << "it was used 20 minutes ago";
    m_now += 10min;
    m_supervisor.tick();
    EXPECT_EQ(got<protocol::Unload>().size(), 2u);
}

TEST_F(SupervisorTest, WhatIsInMemoryBesideTheModelIsToldUntilItGoes) {
    using Told = std::vector<std::string>;
    const auto loadBeside = [this](const std::string& also) {
        ask(protocol::Load{"m.gguf", {}}, Handlers<protocol::Load>{});
        say(got<protocol::Load>().back().first, protocol::Loaded{{}, also});
    };
    load();
    EXPECT_EQ(m_also, Told{});
    loadBeside("a.gguf");
    loadBeside("b.gguf");
    EXPECT_EQ(m_also, (Told{"a.gguf", "b.gguf"}));
    m_also.clear();
    say(0, protocol::Released{});
    EXPECT_EQ(m_also, Told{""});
    m_also.clear();
    loadBeside("a.gguf");
    ask(protocol::Load{"bad.gguf", {}}, Handlers<protocol::Load>{});
    say(got<protocol::Load>().back().first, protocol::Failed{{ErrorCode::Corrupt, "bad"}, {}});
    EXPECT_EQ(m_also, (Told{"a.gguf", ""}));
    m_also.clear();
    loadBeside("a.gguf");
    m_supervisor.restAfter(std::chrono::minutes(1));
    m_now += std::chrono::minutes(2);
    m_supervisor.tick();
    EXPECT_EQ(got<protocol::Unload>().size(), 1u);
    EXPECT_EQ(m_also, (Told{"a.gguf", ""}));
    m_also.clear();
    loadBeside("a.gguf");
    Answer answer;
    askFor(answer, "1");
    end(kCrashed);
    EXPECT_EQ(m_also, (Told{"a.gguf", ""}));
    ASSERT_EQ(got<protocol::Load>().size(), 1u) << "only the one in use is loaded again";
    EXPECT_EQ(got<protocol::Load>()[0].second.path, "m.gguf");
}

TEST_F(SupervisorTest, WithoutAModelAnAnswerFailsAtOnce) {
    Answer answer;
    askFor(answer, "1");
    serve();
    ASSERT_TRUE(answer.error);
    EXPECT_EQ(answer.error->message, "No model is loaded.");
}

TEST_F(SupervisorTest, ThreeAnswersGoOnBehindTheirTokensAfterACrash) {
    load();
    Answer answers[3];
    protocol::RequestId ids[3];
    for (int i = 0; i < 3; ++i) ids[i] = askFor(answers[i], std::to_string(i));
    for (int i = 0; i < 3; ++i)
        for (TokenId t = 0; t < 4 + i; ++t) token(ids[i], t);
    end(kCrashed);
    EXPECT_THAT(m_recoveries, ElementsAre(Recovery::SameWay));
    EXPECT_EQ(got<protocol::Load>().at(0).second.options.crashedProcess, 101u);
    ASSERT_EQ(got<protocol::Generate>().size(), 3u) << "all at once";
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(got<protocol::Generate>()[static_cast<size_t>(i)].second.request.resumeIds,
                  firstIds(4 + i));
        for (TokenId t = 4 + i; t < 10; ++t) token(ids[i], t);
        protocol::Done done;
        done.result.stats.newTokens = 10 - (4 + static_cast<uint32_t>(i));  // of this host
        say(ids[i], done);
        EXPECT_EQ(answers[i].result->stats.newTokens, 10u);
        EXPECT_EQ(answers[i].ids, firstIds(10));
        EXPECT_EQ(answers[i].text, "0 1 2 3 4 5 6 7 8 9 ");
        EXPECT_EQ(answers[i].ends, 1);
    }
}

TEST_F(SupervisorTest, OnlyTheRequestThatKillsTheHostFails) {
    load();
    Answer good[2], bad;
    const auto a = askFor(good[0], "1");
    const auto b = askFor(bad, "2");
    const auto c = askFor(good[1], "3");
    end(kKilled);
    EXPECT_EQ(got<protocol::Generate>().size(), 3u);
    end(kKilled);
    // Each of the three may be to blame: they are tried alone, on the reference kernels.
    EXPECT_THAT(m_recoveries, ElementsAre(Recovery::SameWay, Recovery::ReferenceKernels));
    EXPECT_TRUE(got<protocol::Load>().at(0).second.options.referenceKernels);
    ASSERT_EQ(got<protocol::Generate>().size(), 1u);
    EXPECT_EQ(got<protocol::Generate>()[0].first, a);
    std::string heard;
    inspect("i", heard);
    EXPECT_THAT(got<protocol::Inspect>(), IsEmpty()) << "nothing runs beside one that is on trial";
    token(a, 0);  // it gets on, so it is not to blame
    ASSERT_EQ(got<protocol::Generate>().size(), 2u);
    EXPECT_EQ(got<protocol::Generate>()[1].first, b);
    end(kKilled);
    ASSERT_TRUE(bad.error);
    EXPECT_EQ(bad.error->message,
              "The engine stopped 3 times while writing this answer and was not started again.");
    // Without it the others are above suspicion: at once, and at full speed.
    EXPECT_FALSE(got<protocol::Load>().at(0).second.options.referenceKernels);
    EXPECT_EQ(got<protocol::Inspect>().size(), 1u);
    ASSERT_EQ(got<protocol::Generate>().size(), 2u);
    EXPECT_EQ(got<protocol::Generate>()[0].first, a);
    EXPECT_EQ(got<protocol::Generate>()[0].second.request.resumeIds, firstIds(1));
    EXPECT_EQ(got<protocol::Generate>()[1].first, c);
    EXPECT_EQ(good[0].ends + good[1].ends, 0);
    token(c, 0);
    say(a, protocol::Done{});
    say(c, protocol::Done{});
    for (const Answer& answer : good) {
        EXPECT_TRUE(answer.result);
        EXPECT_EQ(answer.ids, firstIds(1));
    }
}

TEST_F(SupervisorTest, AFileThatKillsTheHostDoesNotSlowTheAnswerBesideIt) {
    load();
    Answer answer;
    std::string heard;
    const auto id = askFor(answer, "1");
    inspect("evil", heard);
    for (TokenId t = 0; t < 2; ++t) {
        EXPECT_EQ(heard, "");
        token(id, t);
        end(kCrashed);
    }
    EXPECT_EQ(got<protocol::Inspect>().size(), 1u);
    EXPECT_THAT(got<protocol::Generate>(), IsEmpty()) << "the file is on trial";
    end(kCrashed);
    token(id, 2);
    EXPECT_THAT(heard, HasSubstr("stopped 3 times while looking at the file"));
    EXPECT_THAT(m_recoveries, testing::Each(Recovery::SameWay));
    say(id, protocol::Done{});
    EXPECT_EQ(answer.ids, firstIds(3));
    EXPECT_EQ(answer.ends, 1);
}

TEST_F(SupervisorTest, ATokenIsProgress) {
    load();
    Answer answer;
    const auto id = askFor(answer, "1");
    for (TokenId t = 0; t < 10; ++t) {
        token(id, t);
        end(kKilled);
    }
    say(id, protocol::Done{});
    EXPECT_TRUE(answer.result);
    EXPECT_EQ(answer.ids, firstIds(10));
    EXPECT_THAT(m_recoveries, testing::Each(Recovery::SameWay));
}

TEST_F(SupervisorTest, AModelThatCannotBeLoadedAgainEndsEverybodyWhoNeedsIt) {
    load();
    Answer first, second;
    askFor(first, "1");
    askFor(second, "2");
    m_supervisor.ended(kKilled);
    for (int i = 0; i < 2; ++i) {
        say(got<protocol::Hello>().at(0).first, protocol::HelloOk{});
        ASSERT_EQ(got<protocol::Load>().size(), 1u);
        m_supervisor.ended(kCrashed);
    }
    EXPECT_TRUE(first.error);
    EXPECT_TRUE(second.error);
    EXPECT_EQ(m_starts, 3);
}

TEST_F(SupervisorTest, AHostThatNeverGreetsEndsInOneSentence) {
    std::string heard;
    std::string other;
    inspect("a", heard);
    inspect("b", other);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(heard, "");
        m_now += 14s;
        m_supervisor.tick();
        EXPECT_EQ(m_abandoned, i);
        ASSERT_TRUE(m_supervisor.nextDeadline());
        m_now = *m_supervisor.nextDeadline();
        m_supervisor.tick();
        EXPECT_EQ(m_abandoned, i + 1);
    }
    EXPECT_EQ(heard,
              "The engine stopped 3 times while looking at the file and was not started again: It does not "
              "answer.");
    EXPECT_EQ(other, heard);
    EXPECT_EQ(m_starts, 3);
    EXPECT_EQ(m_pid, 0);
    // The next request gets three tries of its own.
    inspect("c", heard);
    EXPECT_EQ(m_starts, 4);
}

TEST_F(SupervisorTest, AMissingHostAndAnotherVersionAreNotTriedAgain) {
    m_missing = true;
    std::string heard;
    inspect("a", heard);
    EXPECT_EQ(heard, "It is missing.");
    EXPECT_EQ(m_starts, 1);
    m_missing = false;
    heard.clear();
    inspect("a", heard);
    say(got<protocol::Hello>().at(0).first, protocol::HelloOk{protocol::kVersion + 1, ""});
    EXPECT_THAT(heard, HasSubstr("was updated"));
    EXPECT_EQ(m_starts, 2);
    EXPECT_THAT(m_recoveries, IsEmpty());
}

TEST_F(SupervisorTest, WhatIsNoMessageOrNoAnswerEndsInOneSentence) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"{\"id\":1\n", "not JSON"},
        {"nonsense\n", "not JSON"},
        {"{\"id\":1,\"event\":\"dance\"}\n", "dance"},
        {std::string(protocol::kMaxLineBytes + 1, 'x'), "longer than"},
        {std::string(1, '\0') + "\n", "not JSON"},
    };
    for (const auto& [bytes, complaint] : cases) {
        std::string heard;
        inspect("a", heard);
        for (int i = 0; i < 3; ++i) {
            serve();
            EXPECT_EQ(heard, "") << complaint;
            m_supervisor.received(bytes);
        }
        EXPECT_THAT(heard, HasSubstr(complaint));
        EXPECT_THAT(heard, HasSubstr("stopped 3 times"));
        EXPECT_FALSE(m_supervisor.nextDeadline());
    }
    // An event of another request's kind.
    std::string heard;
    const auto id = inspect("a", heard);
    for (int i = 0; i < 3; ++i) {
        serve();
        say(id, protocol::Done{});
    }
    EXPECT_THAT(heard, HasSubstr("something else"));
}

TEST_F(SupervisorTest, ACancelledAnswerEndsEvenIfTheHostDoesNot) {
    load();
    Answer stubborn, other;
    const auto a = askFor(stubborn, "1");
    const auto b = askFor(other, "2");
    token(a, 0);
    m_supervisor.cancel(a);
    m_supervisor.cancel(a);
    ASSERT_EQ(got<protocol::Cancel>().size(), 1u);
    EXPECT_EQ(got<protocol::Cancel>()[0].second.target, a);
    EXPECT_EQ(stubborn.ends, 0);
    m_now += 15s;
    m_supervisor.tick();
    serve();
    ASSERT_TRUE(stubborn.result);
    EXPECT_EQ(stubborn.result->reason, StopReason::Cancelled);
    EXPECT_EQ(stubborn.ids, firstIds(1));
    ASSERT_EQ(got<protocol::Generate>().size(), 1u) << "the other one goes on";
    EXPECT_EQ(got<protocol::Generate>()[0].first, b);
}

TEST_F(SupervisorTest, WhatTheHostHasNotGotIsCancelledAtOnce) {
    load();
    Answer first, waiting;
    askFor(first, "1");
    const auto id = askFor(waiting, "1");
    m_supervisor.cancel(id);
    ASSERT_TRUE(waiting.result);
    EXPECT_EQ(waiting.result->reason, StopReason::Cancelled);
    EXPECT_THAT(got<protocol::Cancel>(), IsEmpty());
    EXPECT_EQ(first.ends, 0);
    m_supervisor.cancel(4711);  // nobody
}

TEST_F(SupervisorTest, AChangedModelFileIsNotTriedAgain) {
    load();
    Answer answer;
    askFor(answer, "1");
    say(0, protocol::Failed{{ErrorCode::Io, "The model file changed."}, {}});
    m_supervisor.ended({HostEnd::How::Exit, 3});
    ASSERT_TRUE(answer.error);
    EXPECT_EQ(answer.error->message, "The model file changed.");
    EXPECT_THAT(m_recoveries, IsEmpty());
    EXPECT_EQ(m_starts, 1);
}

TEST_F(SupervisorTest, EveryHostIsToldTheConversations) {
    m_supervisor.retain({{"1"}, {"3"}});
    EXPECT_EQ(m_starts, 0) << "no host is started for that";
    load();
    ASSERT_EQ(got<protocol::Retain>().size(), 1u);
    m_supervisor.retain({{"1", "2"}, {}});
    ASSERT_EQ(got<protocol::Retain>().size(), 2u);
    end(kKilled);
    EXPECT_EQ(m_starts, 1) << "nobody needs one";
    Answer answer;
    askFor(answer, "1");
    serve();
    ASSERT_EQ(got<protocol::Retain>().size(), 1u);
    EXPECT_THAT(got<protocol::Retain>()[0].second.conversations, ElementsAre("1", "2"));
    EXPECT_THAT(m_recoveries, IsEmpty());
}

TEST_F(SupervisorTest, EveryHostIsProtectedBeforeAnythingElse) {
    m_supervisor.protect();
    load();
    ASSERT_EQ(got<protocol::Protect>().size(), 1u);
    m_supervisor.protect();
    EXPECT_EQ(got<protocol::Protect>().size(), 1u) << "once is enough";
    end(kKilled);
    Answer answer;
    askFor(answer, "");
    serve();
    ASSERT_EQ(got<protocol::Protect>().size(), 1u);
}

TEST_F(SupervisorTest, ADeviceIsToldOnce) {
    load();
    EXPECT_THAT(m_devices, IsEmpty()) << "the reply says it";
    Answer first, second;
    const auto a = askFor(first, "1");
    const auto b = askFor(second, "2");
    for (int i = 0; i < 3; ++i) {
        say(a, protocol::Progress{0.5, "reading the prompt", {"a CPU", "The GPU failed."}});
        say(b, protocol::Progress{0.5, "reading the prompt", {"a CPU", "The GPU failed."}});
    }
    EXPECT_THAT(m_devices, ElementsAre("a CPU"));
    end(kKilled);  // a new host begins on the first one
    EXPECT_THAT(m_devices, ElementsAre("a CPU", "a stand-in"));
}

TEST_F(SupervisorTest, AHostThatClosesItsOutputIsNotWaitedForLong) {
    std::string heard;
    inspect("a", heard);
    serve();
    m_supervisor.closed();
    m_now += 1s;
    m_supervisor.tick();
    EXPECT_EQ(m_abandoned, 1);
    EXPECT_EQ(m_starts, 2);
}

TEST_F(SupervisorTest, LookingAtAPromptLoadsTheModelThatRests) {
    m_supervisor.restAfter(30min);
    load();
    m_now += 31min;
    m_supervisor.tick();
    ASSERT_EQ(got<protocol::Unload>().size(), 1u);
    bool answered = false;
    const auto asked =
        ask(protocol::Preview{}, Handlers<protocol::Preview>{.finished = [&](const auto& outcome) {
                answered = outcome.has_value();
            }});
    ASSERT_EQ(got<protocol::Load>().size(), 2u);
    serve();
    ASSERT_EQ(got<protocol::Preview>().size(), 1u);
    say(asked, protocol::Previewed{});
    EXPECT_TRUE(answered);
}

TEST_F(SupervisorTest, CountingLoadsNothingAndIsCancelledAtOnce) {
    std::string heard;
    const auto count = [&] {
        return ask(protocol::Count{"x"}, Handlers<protocol::Count>{.finished = [&heard](const auto& outcome) {
                       heard += outcome ? "counted " : outcome.error().error.id + " ";
                   }});
    };
    count();
    serve();
    EXPECT_EQ(heard, "noModel ");
    load();
    heard.clear();
    const auto first = count();
    const auto second = count();
    m_supervisor.cancel(first);
    EXPECT_EQ(heard, "cancelled ");
    EXPECT_EQ(got<protocol::Cancel>().at(0).second.target, first);
    say(second, protocol::Counted{});
    say(first, protocol::Counted{});  // it was on its way
    EXPECT_EQ(heard, "cancelled counted ");
    heard.clear();
    end(kKilled);
    count();
    serve();
    EXPECT_EQ(heard, "noModel ") << "nobody else wants the model again";
    EXPECT_EQ(got<protocol::Load>().size(), 0u);
}

TEST_F(SupervisorTest, ARequestThatIsTooLongFailsAlone) {
    load();
    Answer tooLong, other;
    protocol::Generate generate;
    generate.request.messages = {textMessage(Role::User, std::string(protocol::kMaxMessageBytes, 'a'))};
    ask(generate, tooLong.handlers());
    askFor(other, "1");
    ASSERT_TRUE(tooLong.error);
    EXPECT_EQ(tooLong.error->code, ErrorCode::InvalidArgument);
    EXPECT_EQ(got<protocol::Generate>().size(), 1u);
}

class MergingSupervisorTest : public SupervisorTest {
  protected:
    Supervisor m_merging{*this, options(33ms)};
};

TEST_F(MergingSupervisorTest, TokensWaitForTheirMomentAndPiecesOfOnePartBecomeOne) {
    const auto hear = [this](protocol::RequestId id, protocol::EventBody body) {
        m_merging.received(protocol::frame(protocol::encode(protocol::Event{id, std::move(body)})).value());
    };
    const auto loading = m_merging.newId();
    m_merging.add(makeCall<protocol::Load>(loading, {"m.gguf", {}}, {}));
    hear(got<protocol::Hello>().at(0).first, protocol::HelloOk{});
    hear(loading, protocol::Loaded{});
    Answer answer;
    const auto id = m_merging.newId();
    m_merging.add(makeCall<protocol::Generate>(id, {}, answer.handlers()));
    for (TokenId t = 0; t < 5; ++t) hear(id, protocol::Tokens{test::chunkOf({t}, "x", PartKind::Thought)});
    EXPECT_EQ(answer.updates, 0);
    EXPECT_EQ(m_merging.nextDeadline(), m_now + 33ms);
    m_now += 33ms;
    m_merging.tick();
    EXPECT_EQ(answer.updates, 1);
    EXPECT_EQ(answer.ids, firstIds(5));
    EXPECT_EQ(answer.pieces, test::chunkOf({}, "xxxxx", PartKind::Thought).pieces);
    hear(id, protocol::Tokens{test::chunkOf({5}, "x", PartKind::Thought)});
    hear(id, protocol::Tokens{test::chunkOf({6}, "y")});
    EXPECT_EQ(answer.updates, 1);
    hear(id, protocol::Done{});
    EXPECT_EQ(answer.updates, 2);
    EXPECT_EQ(answer.pieces.size(), 3u) << "a thought, more of it, and text";
    EXPECT_EQ(answer.ids, firstIds(7)) << "nothing is told after the end";
    EXPECT_FALSE(m_merging.nextDeadline());
}

}  // namespace
}  // namespace ingle::client
