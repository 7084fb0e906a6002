#include "app/cli/host/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "engine/session/devices/device_marks.h"
#include "tests/app/cli/fake_engine.h"
#include "tests/app/cli/host_client.h"
#include "tests/temporary_folder.h"

namespace ingle::cli {
namespace {

using testing::HasSubstr;

std::function<void(int, int)> host(int paceMs = 0) {
    return [=](int input, int output) {
        std::signal(SIGPIPE, SIG_IGN);
        serveHost(input, output, {std::chrono::milliseconds(paceMs)}, fakeSource());
    };
}

protocol::Generate answer(uint32_t maxTokens, const std::string& prompt = "") {
    protocol::Generate generate;
    generate.request.maxTokens = maxTokens;
    generate.request.rawPrompt = prompt;
    return generate;
}

class HostTest : public testing::Test {
  protected:
    explicit HostTest(int paceMs = 0) : m_client(host(paceMs)) {}

    void load(const std::string& path = "/m/model") {
        m_client.greet();
        m_client.send(2, protocol::Load{path, {}});
        EXPECT_TRUE(m_client.next<protocol::Progress>(2));
        const auto loaded = m_client.next<protocol::Loaded>(2);
        ASSERT_TRUE(loaded);
        EXPECT_EQ(loaded->info.path, path);
    }
    /// Everything of one generation after its plan.
    struct Collected {
        std::vector<TokenId> ids;
        std::string text;
        int tokenEvents = 0;
        int progressEvents = 0;
        DeviceStatus moved;
        std::optional<GenerateResult> result;
        std::optional<Error> error;
    };
    Collected collect(protocol::RequestId id, bool moves = false) {
        Collected collected;
        while (const auto event = m_client.next()) {
            EXPECT_EQ(event->id, id);
            if (const auto* tokens = std::get_if<protocol::Tokens>(&event->body)) {
                collected.ids.insert(collected.ids.end(), tokens->chunk.ids.begin(), tokens->chunk.ids.end());
                collected.text += test::allText(tokens->chunk.pieces);
                ++collected.tokenEvents;
            } else if (const auto* progress = std::get_if<protocol::Progress>(&event->body)) {
                ++collected.progressEvents;
                // Once it has moved, all progress says so.
                EXPECT_EQ(progress->moved.device.empty(), collected.ids.size() < 2 || !moves);
                collected.moved = progress->moved;
            } else if (const auto* done = std::get_if<protocol::Done>(&event->body)) {
                collected.result = done->result;
                break;
            } else if (const auto* failed = std::get_if<protocol::Failed>(&event->body)) {
                collected.error = failed->error;
                break;
            }
        }
        return collected;
    }
    Error failure(protocol::RequestId id) {
        const auto failed = m_client.next<protocol::Failed>(id);
        return failed ? failed->error : Error{ErrorCode::Cancelled, "no failure came"};
    }

    HostClient m_client;
};

class SlowHostTest : public HostTest {
  protected:
    SlowHostTest() : HostTest(20) {}
};

TEST_F(HostTest, NothingIsServedBeforeHello) {
    m_client.send(5, protocol::Unload{});
    EXPECT_THAT(failure(5).message, HasSubstr("hello"));
    m_client.send(6, protocol::Hello{protocol::kVersion + 1});
    const Error mismatch = failure(6);
    EXPECT_EQ(mismatch.code, ErrorCode::Unsupported);
    EXPECT_THAT(mismatch.message, HasSubstr("start it again"));
    m_client.send(7, protocol::Unload{});
    EXPECT_THAT(failure(7).message, HasSubstr("hello"));
    m_client.send(8, protocol::Hello{});
    const auto hello = m_client.next<protocol::HelloOk>(8);
    EXPECT_EQ(hello->version, protocol::kVersion);
    EXPECT_THAT(hello->program, HasSubstr("ingle "));
}

TEST_F(HostTest, DevicesAreListedWithoutAModel) {
    m_client.greet();
    m_client.send(2, protocol::Devices{});
    const auto listed = m_client.next<protocol::DevicesListed>(2);
    ASSERT_TRUE(listed);
    ASSERT_EQ(listed->list.devices.size(), 1u);
    EXPECT_EQ(listed->list.devices[0].name, "a CPU");
    EXPECT_EQ(listed->list.note, "there is no other");
}

TEST_F(HostTest, TheComputerIsDescribedWithoutAModel) {
    m_client.greet();
    m_client.send(2, protocol::Computer{});
    const auto described = m_client.next<protocol::ComputerDescribed>(2);
    ASSERT_TRUE(described);
    EXPECT_EQ(described->info.processor, "a CPU");
    EXPECT_EQ(described->info.availableBytes, 5u);
}

/// The rows of a reply; of FakeEmbedder the tokens of the text over how many embedders there were before.
std::vector<float> ratiosOf(const std::optional<protocol::Embedded>& reply) {
    std::vector<float> ratios;
    if (!reply) return ratios;
    EXPECT_EQ(reply->dim, 2u);
    std::vector<float> values(reply->rows.size() / sizeof(float));
    std::memcpy(values.data(), reply->rows.data(), reply->rows.size());
    for (size_t i = 0; i + 1 < values.size(); i += 2) {
        EXPECT_FLOAT_EQ(std::hypot(values[i], values[i + 1]), 1);
        ratios.push_back(values[i] / values[i + 1]);
    }
    return ratios;
}

TEST_F(HostTest, TextsAreEmbeddedForAPurposeAndInFewDimensions) {
    using testing::ElementsAre;
    using testing::FloatEq;
    m_client.greet();
    m_client.send(2, protocol::Embed{.model = "/m/bge", .texts = {"four"}, .use = TextUse::Document});
    m_client.send(3, protocol::Embed{.model = "/m/bge", .texts = {"four"}, .use = TextUse::Query});
    const auto document = ratiosOf(m_client.next<protocol::Embedded>(2));
    const auto query = ratiosOf(m_client.next<protocol::Embedded>(3));
    EXPECT_THAT(query, ElementsAre(FloatEq(document.at(0) * 5 / 4)));
    m_client.send(4, protocol::Embed{.model = "/m/bge", .texts = {"four"}, .dimensions = 1});
    const auto shortened = m_client.next<protocol::Embedded>(4);
    ASSERT_TRUE(shortened);
    EXPECT_EQ(shortened->dim, 1U);
    EXPECT_EQ(shortened->rows.size(), sizeof(float));
    m_client.send(5, protocol::Embed{.model = "/m/bge", .texts = {"four"}, .dimensions = 3});
    EXPECT_THAT(failure(5).message, HasSubstr("3 dimensions are wanted of 2"));
}

TEST_F(HostTest, ARerankerScoresTextsBesideAQuestion) {
    m_client.greet();
    m_client.send(2, protocol::Embed{.model = "/m/rank", .texts = {"a", "abcd"}, .query = "why"});
    const auto scored = m_client.next<protocol::Embedded>(2);
    ASSERT_TRUE(scored);
    EXPECT_EQ(scored->dim, 1U);
    float scores[2] = {};
    ASSERT_EQ(scored->rows.size(), sizeof scores);
    std::memcpy(scores, scored->rows.data(), sizeof scores);
    EXPECT_FLOAT_EQ(scores[0], 4.0F / 5);
    EXPECT_FLOAT_EQ(scores[1], 7.0F / 8);
    m_client.send(3, protocol::Embed{.model = "/m/rank", .texts = {"a"}});
    EXPECT_THAT(failure(3).message, HasSubstr("scores pairs of texts and embeds none"));
    m_client.send(4, protocol::Embed{.model = "/m/bge", .texts = {"a"}, .query = "why"});
    EXPECT_THAT(failure(4).message, HasSubstr("scores no pairs"));
}

TEST_F(HostTest, TextsAreEmbeddedWithoutAModelThatWrites) {
    using testing::ElementsAre;
    using testing::FloatEq;
    m_client.greet();
    m_client.send(2, protocol::Embed{"/m/bge", {"four", "a text that is too long"}});
    EXPECT_THAT(ratiosOf(m_client.next<protocol::Embedded>(2)), ElementsAre(FloatEq(4), FloatEq(8)));
    m_client.send(3, protocol::Embed{"/m/bge", {"two words"}, true});
    EXPECT_THAT(ratiosOf(m_client.next<protocol::Embedded>(3)), ElementsAre(FloatEq(8))) << "it was kept";
    m_client.send(4, protocol::Embed{"/m/other", {"four"}});
    EXPECT_THAT(ratiosOf(m_client.next<protocol::Embedded>(4)), ElementsAre(FloatEq(2)));
    m_client.send(5, protocol::Embed{"/m/bge", {"four"}});
    EXPECT_THAT(ratiosOf(m_client.next<protocol::Embedded>(5)), ElementsAre(FloatEq(4.0F / 3)));
    m_client.send(6, protocol::Unload{});
    EXPECT_TRUE(m_client.next<protocol::Unloaded>(6));
    m_client.send(7, protocol::Embed{"/m/bge", {"four"}});
    EXPECT_THAT(ratiosOf(m_client.next<protocol::Embedded>(7)), ElementsAre(FloatEq(1)));
    for (const char* bad : {"/m/bad", "/m/rows", "/m/noNumbers"}) {
        m_client.send(8, protocol::Embed{bad, {"four"}});
        EXPECT_THAT(failure(8).message, HasSubstr(bad));
    }
}

TEST_F(SlowHostTest, WhatMayBeEmbeddedLaterWaitsForAnswers) {
    load();
    m_client.send(3, answer(20));
    EXPECT_TRUE(m_client.next<protocol::Planned>(3));
    m_client.send(4, protocol::Embed{"/m/bge", {"four"}, true});
    m_client.send(5, protocol::Embed{"/m/bge", {"four"}});
    m_client.send(6, protocol::Embed{"/m/bge", {"four"}, true});
    m_client.send(7, protocol::Cancel{6});
    std::vector<protocol::RequestId> ended;
    while (ended.size() < 4) {
        const auto event = m_client.next();
        ASSERT_TRUE(event);
        const bool isLast = std::holds_alternative<protocol::Embedded>(event->body) ||
                            std::holds_alternative<protocol::Done>(event->body) ||
                            std::holds_alternative<protocol::Failed>(event->body);
        if (isLast) ended.push_back(event->id);
    }
    std::erase(ended, 6);  // cancelled sooner or later than the one before it is served
    EXPECT_THAT(ended, testing::ElementsAre(5, 3, 4));
}

TEST_F(HostTest, ScoresAnAnswerWithAReceipt) {
    m_client.greet();
    m_client.send(2, protocol::Score{});
    EXPECT_EQ(failure(2).id, "noModel");
    m_client.send(3, protocol::Load{"/m/model", {}});
    ASSERT_TRUE(m_client.next<protocol::Progress>(3));
    ASSERT_TRUE(m_client.next<protocol::Loaded>(3));
    protocol::Score score;
    score.score.ids = {5, 6};
    m_client.send(4, score);
    const auto scored = m_client.next<protocol::Scored>(4);
    ASSERT_TRUE(scored);
    ASSERT_EQ(scored->scores.positions.size(), 2u);
    EXPECT_EQ(scored->scores.positions[1].stored.id, 6);
    EXPECT_EQ(scored->scores.positions[1].chosen.id, 7);
    EXPECT_EQ(scored->receipt.modelPath, "/m/model");
    EXPECT_FALSE(scored->receipt.program.empty());
    m_client.send(5, answer(2));
    for (;;) {
        const auto event = m_client.next();
        ASSERT_TRUE(event);
        if (const auto* done = std::get_if<protocol::Done>(&event->body)) {
            EXPECT_EQ(done->receipt, scored->receipt);
            break;
        }
    }
}

TEST_F(HostTest, ReadsADocument) {
    m_client.greet();
    m_client.send(2, protocol::Read{});
    EXPECT_EQ(failure(2).id, "noModel");
    m_client.send(3, protocol::Load{"/m/model", {}});
    ASSERT_TRUE(m_client.next<protocol::Progress>(3));
    ASSERT_TRUE(m_client.next<protocol::Loaded>(3));
    m_client.send(4, protocol::Read{{{textMessage(Role::System, "a report")}, "7"}});
    const auto planned = m_client.next<protocol::ReadPlanned>(4);
    ASSERT_TRUE(planned);
    EXPECT_EQ(planned->cost, (ReadCost{100, 0, 1000}));
    std::optional<protocol::Event> event;
    for (event = m_client.next(); event && std::holds_alternative<protocol::Progress>(event->body);)
        event = m_client.next();
    ASSERT_TRUE(event);
    const auto* read = std::get_if<protocol::ReadDone>(&event->body);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->cost, (ReadCost{100, 100, 1000}));
}

TEST_F(HostTest, InspectsLoadsCountsAndUnloads) {
    m_client.greet();
    m_client.send(2, protocol::Inspect{"/m/model"});
    EXPECT_EQ(m_client.next<protocol::Inspected>(2)->info.path, "/m/model");
    m_client.send(3, protocol::Inspect{"/m/bad"});
    EXPECT_EQ(failure(3).code, ErrorCode::Corrupt);
    m_client.send(4, protocol::Count{"four"});
    EXPECT_THAT(failure(4).message, HasSubstr("No model is loaded"));
    m_client.send(5, answer(1));
    EXPECT_THAT(failure(5).message, HasSubstr("No model is loaded"));
    m_client.send(6, protocol::Load{"/m/model", {}});
    EXPECT_TRUE(m_client.next<protocol::Progress>(6));
    EXPECT_EQ(m_client.next<protocol::Loaded>(6)->info.path, "/m/model");
    m_client.send(7, protocol::Count{"four"});
    EXPECT_EQ(m_client.next<protocol::Counted>(7)->tokens, 4u);
    const ChatMessage question = textMessage(Role::User, "four");
    m_client.send(7, protocol::Count{{}, {question, question}});
    const auto counted = m_client.next<protocol::Counted>(7);
    EXPECT_EQ(counted->tokens, 20u);
    EXPECT_EQ(counted->room, 64u);
    GenerateRequest asked;
    asked.messages = {question};
    m_client.send(7, protocol::Preview{asked});
    const auto previewed = m_client.next<protocol::Previewed>(7);
    EXPECT_EQ(previewed->preview.text, "prompt");
    EXPECT_EQ(previewed->preview.plan.promptTokens, 7u);
    m_client.send(7, protocol::Preview{});
    EXPECT_THAT(failure(7).message, HasSubstr("nothing to answer"));
    m_client.send(8, protocol::Unload{});
    EXPECT_TRUE(m_client.next<protocol::Unloaded>(8));
    m_client.send(9, protocol::Retain{{"1"}});
    EXPECT_TRUE(m_client.next<protocol::Retained>(9));
    m_client.send(9, protocol::Count{"four"});
    EXPECT_THAT(failure(9).message, HasSubstr("No model is loaded"));
    m_client.send(9, protocol::Preview{asked});
    EXPECT_THAT(failure(9).message, HasSubstr("No model is loaded"));
}

TEST_F(HostTest, RenderingAndTokenizingEndWhenNobodyWantsThem) {
    load();
    GenerateRequest asked;
    asked.messages = {textMessage(Role::User, std::string(kForEver))};
    m_client.send(3, protocol::Preview{asked});
    m_client.send(4, protocol::Cancel{3});
    EXPECT_EQ(failure(3).id, "cancelled");
    m_client.send(5, protocol::Count{std::string(kForEver)});
    m_client.send(6, protocol::Cancel{5});
    EXPECT_EQ(failure(5).id, "cancelled");
}

TEST_F(HostTest, APreviewThatNeverEndsHoldsUpNoAnswerAndNoModel) {
    load();
    GenerateRequest asked;
    asked.messages = {textMessage(Role::User, std::string(kForEver))};
    m_client.send(3, protocol::Preview{asked});
    m_client.send(4, answer(3));
    EXPECT_EQ(collect(4).ids.size(), 3u);
    m_client.send(5, protocol::Preview{asked});  // waits behind it
    m_client.send(6, protocol::Unload{});
    std::set<protocol::RequestId> cancelled;
    bool isUnloaded = false;
    for (int i = 0; i < 3; ++i) {  // in any order
        const auto event = m_client.next();
        ASSERT_TRUE(event);
        if (const auto* failed = std::get_if<protocol::Failed>(&event->body)) {
            EXPECT_EQ(failed->error.id, "cancelled");
            cancelled.insert(event->id);
        } else {
            isUnloaded = std::holds_alternative<protocol::Unloaded>(event->body);
        }
    }
    EXPECT_EQ(cancelled, (std::set<protocol::RequestId>{3, 5}));
    EXPECT_TRUE(isUnloaded);
}

TEST_F(HostTest, StreamsAnAnswer) {
    load();
    m_client.send(3, answer(50));
    EXPECT_EQ(m_client.next<protocol::Planned>(3)->plan.promptTokens, 7u);
    const Collected collected = collect(3);
    std::vector<TokenId> expected(50);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(collected.ids, expected);
    EXPECT_EQ(collected.text, std::string(50, 'x'));
    EXPECT_EQ(collected.result->reason, StopReason::MaxTokens);
    EXPECT_LE(collected.progressEvents, 3) << "a thousand were reported within a moment";
}

TEST_F(HostTest, AnAnswerThatMovesToAnotherDeviceSaysSo) {
    load();
    m_client.send(3, answer(6, "move"));
    EXPECT_TRUE(m_client.next<protocol::Planned>(3));
    const Collected collected = collect(3, true);
    EXPECT_EQ(collected.ids, (std::vector<TokenId>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(collected.moved, (DeviceStatus{"a CPU", "The GPU failed."}));
    EXPECT_TRUE(collected.result);
}

TEST_F(HostTest, GenerationsThatFailSaySo) {
    load();
    m_client.send(3, answer(5, "refuse"));
    EXPECT_EQ(failure(3).message, "refused");
    m_client.send(3, answer(5, "fail"));
    EXPECT_EQ(failure(3).message, "it failed");
    m_client.send(3, answer(5));
    EXPECT_EQ(collect(3).ids.size(), 5u) << "the id is free again";
}

TEST_F(HostTest, ASlowReaderGetsMergedEventsAndLosesNothing) {
    load();
    constexpr uint32_t kTokens = 200'000;
    const test::TemporaryFolder folder;
    const std::string written = folder.file("written");
    m_client.send(3, answer(kTokens, written));
    // The pipe fills, then the queue, and nothing is read before all is there.
    while (!std::filesystem::exists(written)) ::usleep(10'000);
    const Collected collected = collect(3);
    ASSERT_EQ(collected.ids.size(), kTokens);
    for (uint32_t i = 0; i < kTokens; ++i) ASSERT_EQ(collected.ids[i], static_cast<TokenId>(i));
    EXPECT_EQ(collected.text.size(), kTokens);
    EXPECT_LT(collected.tokenEvents, static_cast<int>(kTokens / 10));
}

TEST_F(SlowHostTest, CancelTakesEffectAtOnce) {
    load();
    m_client.send(3, answer(1'000'000));
    EXPECT_TRUE(m_client.next<protocol::Planned>(3));
    m_client.send(4, answer(1'000'000));
    m_client.send(5, protocol::Cancel{4});   // still waiting for its turn
    m_client.send(6, protocol::Cancel{77});  // nobody
    m_client.send(7, protocol::Cancel{3});
    const Collected first = collect(3);
    EXPECT_EQ(first.result->reason, StopReason::Cancelled);
    EXPECT_LT(first.ids.size(), 100'000u);  // at its pace that takes minutes
    const Collected second = collect(4);
    EXPECT_EQ(second.result->reason, StopReason::Cancelled);
    EXPECT_TRUE(second.ids.empty());
}

TEST_F(SlowHostTest, CountIsAnsweredWhileAnAnswerStreams) {
    load();
    m_client.send(3, answer(1'000'000));
    m_client.send(4, protocol::Count{"four"});
    for (;;) {
        const auto event = m_client.next();
        ASSERT_TRUE(event);
        if (event->id == 4) break;
    }
    m_client.send(5, answer(1));
    m_client.send(3, answer(1));
    for (;;) {
        const auto event = m_client.next();
        ASSERT_TRUE(event);
        if (std::holds_alternative<protocol::Failed>(event->body)) {
            EXPECT_EQ(event->id, 3u) << "this id is in use";
            break;
        }
    }
}

TEST_F(SlowHostTest, LoadingAnotherModelEndsTheAnswer) {
    load();
    m_client.send(3, answer(1'000'000));
    EXPECT_TRUE(m_client.next<protocol::Planned>(3));
    m_client.send(4, protocol::Load{"/m/other", {}});
    EXPECT_EQ(collect(3).result->reason, StopReason::Cancelled);
    EXPECT_TRUE(m_client.next<protocol::Progress>(4));
    EXPECT_EQ(m_client.next<protocol::Loaded>(4)->info.path, "/m/other");
    m_client.send(5, protocol::Load{"/m/bad", {}});
    EXPECT_EQ(failure(5).code, ErrorCode::Corrupt);
    m_client.send(6, protocol::Count{"four"});
    EXPECT_EQ(m_client.next<protocol::Counted>(6)->tokens, 4u) << "the loaded model stays";
}

TEST_F(HostTest, BadLinesAreAnsweredAndServiceGoesOn) {
    m_client.greet();
    m_client.sendLine("nonsense");
    EXPECT_EQ(failure(0).code, ErrorCode::Corrupt);
    m_client.sendLine("{\"id\":3,\"op\":\"dance\"}");
    EXPECT_THAT(failure(3).message, HasSubstr("dance")) << "whoever asked hears of it";
    m_client.sendLine("");
    m_client.sendLine("+{\"id\":3,");
    m_client.sendLine(".nonsense");
    EXPECT_EQ(failure(0).code, ErrorCode::Corrupt);
    m_client.sendLine("{\"id\":0,\"op\":\"unload\"}");
    EXPECT_THAT(failure(0).message, HasSubstr("id 0"));
    const std::string part(1 << 16, 'x');
    std::string tooLong;
    for (int i = 0; i < 40; ++i) tooLong += part;
    m_client.sendLine(tooLong);
    EXPECT_THAT(failure(0).message, HasSubstr("longer than"));
    m_client.send(4, protocol::Unload{});
    EXPECT_TRUE(m_client.next<protocol::Unloaded>(4));
}

TEST_F(HostTest, OfALongTextThatIsComparedTheBeginningIsCut) {
    m_client.greet();
    m_client.send(2, protocol::Embed{"/m/bge", {std::string(2'000'000, 'x')}});
    EXPECT_EQ(m_client.next<protocol::Embedded>(2)->tokens, 8u);
}

TEST_F(HostTest, ALongCountHoldsUpNobody) {
    load();
    m_client.send(3, protocol::Count{"slowly"});
    m_client.send(4, answer(3));
    EXPECT_EQ(collect(4).ids.size(), 3u);
    EXPECT_EQ(m_client.next<protocol::Counted>(3)->tokens, 6u);
}

TEST_F(HostTest, LongMessagesTravelInPieces) {
    load();
    const std::string text(2'000'000, 'x');
    m_client.send(3, protocol::Count{text});
    EXPECT_EQ(m_client.next<protocol::Counted>(3)->tokens, text.size());
    m_client.send(4, protocol::Inspect{"huge"});
    EXPECT_EQ(m_client.next<protocol::Inspected>(4)->info.name.size(), 3'000'000u);
}

TEST_F(SlowHostTest, EndOfInputEndsTheHostAtOnce) {
    load();
    m_client.send(3, answer(1'000'000));
    EXPECT_TRUE(m_client.next<protocol::Planned>(3));
    m_client.closeOutput();
    EXPECT_EQ(m_client.exitStatus(), 0);
}

TEST(HostProcess, EndOfInputWhileADeviceIsInUseIsNoDeath) {
    const test::TemporaryFolder folder;
    const session::DeviceMarks marks(folder.path().string(), "id");
    HostClient client([&](int input, int output) {
        const auto use = marks.begin(session::DeviceMarks::Phase::Start);
        host()(input, output);
    });
    client.greet();
    EXPECT_FALSE(std::filesystem::is_empty(folder.path()));
    client.closeOutput();
    EXPECT_EQ(client.exitStatus(), 0);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(SlowHostTest, ABrokenPipeEndsTheHost) {
    load();
    m_client.send(3, answer(1'000'000));
    EXPECT_TRUE(m_client.next<protocol::Planned>(3));
    m_client.closeInput();
    EXPECT_EQ(m_client.exitStatus(), 0);
}

TEST_F(HostTest, ThingsAreRecognisedTogether) {
    m_client.greet();
    m_client.send(2, protocol::Recognise{{"/m/a", "/m/b"}, {}});
    const auto recognised = m_client.next<protocol::Recognised>(2);
    ASSERT_TRUE(recognised);
    ASSERT_EQ(recognised->things.size(), 2u);
    EXPECT_EQ(recognised->things[1].path, "/m/b");
}

TEST_F(HostTest, AnImportHoldsUpNobodyAndIsCancelled) {
    load();
    m_client.send(3, protocol::Import{"/m/long", "/f", "x", "Q4_K_M"});
    EXPECT_EQ(m_client.next<protocol::Progress>(3)->fraction, 0.5);
    m_client.send(4, answer(5));
    EXPECT_EQ(collect(4).ids.size(), 5u);
    // Others wait for it, and are cancelled waiting.
    m_client.send(5, protocol::Import{"/m/a", "/f", "a", "Q4_K_M"});
    m_client.send(6, protocol::Import{"/m/b", "/f", "b", "Q4_K_M"});
    m_client.send(7, protocol::Cancel{6});
    EXPECT_EQ(failure(6).code, ErrorCode::Cancelled);
    m_client.send(8, protocol::Cancel{3});
    EXPECT_EQ(failure(3).code, ErrorCode::Cancelled);
    EXPECT_TRUE(m_client.next<protocol::Progress>(5));
    EXPECT_EQ(m_client.next<protocol::Imported>(5)->path, "/f/a");
    m_client.send(9, protocol::Import{"/m/bad", "/f", "c", "Q4_K_M"});
    EXPECT_EQ(failure(9).code, ErrorCode::Corrupt);
}

TEST_F(HostTest, ATruncatedModelFileIsNamedBeforeTheHostEnds) {
    load("/m/shrinking");
    m_client.send(3, protocol::Inspect{"/m/another"});
    EXPECT_TRUE(m_client.next<protocol::Inspected>(3));
    m_client.send(4, answer(5, "truncate"));
    const Error error = failure(0);
    EXPECT_EQ(error.code, ErrorCode::Io);
    EXPECT_THAT(error.message, HasSubstr("model file changed"));
    EXPECT_THAT(error.message, HasSubstr("/m/shrinking"));
    EXPECT_FALSE(m_client.next());
    EXPECT_EQ(m_client.exitStatus(), 3);
}

TEST_F(HostTest, AFileThatShrinksUnderItsInspectionIsBlamedOnThat) {
    load();
    m_client.send(3, protocol::Inspect{"/m/cut"});
    const Error error = failure(3);
    EXPECT_EQ(error.code, ErrorCode::Io);
    EXPECT_THAT(error.message, HasSubstr("/m/cut"));
    EXPECT_FALSE(m_client.next());
    EXPECT_EQ(m_client.exitStatus(), 3);
}

TEST_F(HostTest, AFileThatHangsHoldsUpNobody) {
    load();
    for (protocol::RequestId id = 10; id < 13; ++id) m_client.send(id, protocol::Inspect{"/m/hung"});
    m_client.send(3, protocol::Inspect{"/m/model"});
    EXPECT_TRUE(m_client.next<protocol::Inspected>(3));
    m_client.send(4, answer(5));
    EXPECT_EQ(collect(4).ids.size(), 5u);
    // With a fourth one others wait; they can be cancelled.
    m_client.send(13, protocol::Inspect{"/m/hung"});
    m_client.send(14, protocol::Inspect{"/m/model"});
    m_client.send(15, protocol::Cancel{14});
    EXPECT_EQ(failure(14).code, ErrorCode::Cancelled);
    m_client.send(16, answer(5));
    EXPECT_EQ(collect(16).ids.size(), 5u);
    m_client.closeOutput();
    EXPECT_EQ(m_client.exitStatus(), 0);
}

/// What `ingle host` does on the standard streams.
void runOnStandardStreams(int input, int output) {
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::close(input);
    ::close(output);
    if (const auto ends = takeStandardEnds()) serveHost(ends->input, ends->output, {}, fakeSource());
}

TEST(HostProcess, WhatDriversPrintStaysOutOfTheProtocol) {
    HostClient client(runOnStandardStreams);
    client.greet();
    client.send(2, protocol::Load{"/m/model", {}});  // prints to standard output
    EXPECT_TRUE(client.next<protocol::Progress>(2));
    EXPECT_TRUE(client.next<protocol::Loaded>(2));
    std::ifstream score(fmt::format("/proc/{}/oom_score_adj", client.child()));
    int value = 0;
    score >> value;
    EXPECT_EQ(value, 500);
}

TEST(HostProcess, EndsWithItsParent) {
    // The test keeps the pipes open, so only the death of the parent can end the host.
    HostClient client([](int input, int output) {
        if (::fork() == 0) runOnStandardStreams(input, output);
        ::pause();
    });
    client.greet();
    ::kill(client.child(), SIGKILL);
    EXPECT_FALSE(client.next()) << "end of file: the host is gone";
}

}  // namespace
}  // namespace ingle::cli
