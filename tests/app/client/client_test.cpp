/// The client with real processes.
#include "app/client/client.h"
#include "app/client/host_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "tests/app/client/told.h"
#include "tests/temporary_folder.h"

namespace ingle::client {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct ClientAnswer {
    std::vector<TokenId> ids;
    int ends = 0;
    std::optional<GenerateResult> result;
    std::optional<Error> error;
};

class ClientTest : public testing::Test {
  protected:
    std::unique_ptr<Client> client(std::vector<std::string> arguments, std::function<TimePoint()> now = {}) {
        Options options;
        options.now = std::move(now);
        options.notices.hostPidChanged = [this](int64_t pid) {
            m_told.tell([&] {
                m_pid = pid;
                if (pid != 0) m_pids.push_back(pid);
            });
        };
        auto created =
            Client::create(startedBy({INGLE_SCRIPTED_HOST, std::move(arguments)}), std::move(options));
        return std::move(created).value();
    }
    std::vector<std::string> dying(int times, std::vector<std::string> more) {
        const std::string file = m_folder.file("crashes");
        std::ofstream(file) << times;
        more.insert(more.end(), {"--crash-file", file});
        return more;
    }
    void load(Client& client) { client.send<protocol::Load>({"m.gguf", {}}, {}); }
    protocol::RequestId generate(Client& client, ClientAnswer& answer, const std::string& conversation) {
        protocol::Generate request;
        request.request.conversation = conversation;
        return client.send<protocol::Generate>(
            request, {.finished =
                          [this, &answer](const Outcome<protocol::Generate>& outcome) {
                              m_told.tell([&] {
                                  ++answer.ends;
                                  if (outcome)
                                      answer.result = outcome->result;
                                  else
                                      answer.error = outcome.error().error;
                              });
                          },
                      .update =
                          [this, &answer](const protocol::Generate::Update& update) {
                              const auto* tokens = std::get_if<protocol::Tokens>(&update);
                              if (tokens == nullptr) return;
                              m_told.tell([&] {
                                  const auto& ids = tokens->chunk.ids;
                                  answer.ids.insert(answer.ids.end(), ids.begin(), ids.end());
                              });
                          }});
    }
    /// Inspects `path`: what was heard, the error's sentence where it failed.
    void inspect(Client& client, const std::string& path, std::optional<Outcome<protocol::Inspect>>& heard) {
        client.send<protocol::Inspect>({path, {}}, {.finished = [this, &heard](const auto& outcome) {
                                           m_told.tell([&] { heard = outcome; });
                                       }});
    }
    static std::vector<TokenId> firstIds(int count) {
        std::vector<TokenId> ids(static_cast<size_t>(count));
        std::iota(ids.begin(), ids.end(), 0);
        return ids;
    }
    /// Neither running nor left as a zombie.
    static bool isGone(int64_t pid) { return !std::filesystem::exists("/proc/" + std::to_string(pid)); }

    const test::TemporaryFolder m_folder;
    test::ToldByThreads m_told;
    int64_t m_pid = 0;
    std::vector<int64_t> m_pids;
};

TEST_F(ClientTest, ThreeAnswersAreWrittenAtOnceAndSurviveAKilledHost) {
    const auto ingle = client(dying(2, {"--tokens", "5000", "--answers", "3", "--crash-at", "100"}));
    load(*ingle);
    ClientAnswer answers[3];
    for (ClientAnswer& each : answers) generate(*ingle, each, std::to_string(&each - answers));
    for (ClientAnswer& each : answers) {
        ASSERT_TRUE(m_told.until([&] { return each.ends > 0; }));
        EXPECT_TRUE(each.result);
        EXPECT_EQ(each.ids, firstIds(5000));
    }
    ASSERT_EQ(m_pids.size(), 3u);
    EXPECT_TRUE(isGone(m_pids[0]));
    EXPECT_TRUE(isGone(m_pids[1]));
}

TEST_F(ClientTest, LongRequestsAndLongRepliesTravelInPieces) {
    const auto ingle = client({});
    load(*ingle);
    std::optional<uint32_t> counted;
    const std::string text = std::string(5'000'000, 'x') + "\"\\\n漢";
    ingle->send<protocol::Count>({text}, {.finished = [&](const auto& outcome) {
                                     m_told.tell([&] { counted = outcome ? outcome->tokens : 0; });
                                 }});
    std::optional<Outcome<protocol::Inspect>> heard;
    inspect(*ingle, "huge", heard);
    ASSERT_TRUE(m_told.until([&] { return counted && heard; }));
    EXPECT_EQ(*counted, text.size());
    ASSERT_TRUE(*heard);
    EXPECT_EQ((*heard)->info.name.size(), 3'000'000u);
}

TEST_F(ClientTest, ALongRequestLeavesNothingBehind) {
    const auto inUse = [] {
        const auto info = ::mallinfo2();
        return info.uordblks + info.hblkhd;
    };
    const auto ingle = client({});
    load(*ingle);
    const auto count = [&](size_t bytes) {
        std::optional<uint32_t> counted;
        ingle->send<protocol::Count>({std::string(bytes, 'x')}, {.finished = [&](const auto& outcome) {
                                         m_told.tell([&] { counted = outcome ? outcome->tokens : 0; });
                                     }});
        EXPECT_TRUE(m_told.until([&] { return counted.has_value(); }));
    };
    count(1);
    const size_t before = inUse();
    count(8 << 20);
    for (int tries = 0; tries < 500 && inUse() > before + (1 << 20); ++tries)
        std::this_thread::sleep_for(10ms);
    EXPECT_LE(inUse(), before + (1 << 20));
}

TEST_F(ClientTest, CancelEndsOneAnswerOnly) {
    ClientAnswer first, second;  // these outlive the client
    const auto ingle = client({"--tokens", "100000000"});
    load(*ingle);
    const auto id = generate(*ingle, first, "1");
    generate(*ingle, second, "2");
    ASSERT_TRUE(m_told.until([&] { return first.ids.size() > 10 && second.ids.size() > 10; }));
    ingle->cancel(id);
    ASSERT_TRUE(m_told.until([&] { return first.ends > 0; }));
    ASSERT_TRUE(first.result);
    EXPECT_EQ(first.result->reason, StopReason::Cancelled);
    size_t before = 0;
    m_told.tell([&] { before = second.ids.size(); });
    EXPECT_TRUE(m_told.until([&] { return second.ids.size() > before; }));
    m_told.tell([&] { EXPECT_EQ(second.ends, 0); });
}

TEST_F(ClientTest, AHostThatNeverGreetsEndsInOneSentence) {
    std::atomic<int> seconds = 0;
    const auto ingle = client({"--silent"}, [&] { return TimePoint(std::chrono::seconds(seconds.load())); });
    std::optional<Outcome<protocol::Inspect>> heard;
    inspect(*ingle, "a", heard);
    // A deadline is reckoned from a moment that is not told, so the clock goes on until the last has passed.
    for (bool over = false; !over;) {
        seconds += 16;
        ingle->wake();
        std::this_thread::sleep_for(1ms);
        m_told.tell([&] { over = heard.has_value(); });
    }
    ASSERT_TRUE(m_told.until([&] { return heard.has_value(); }));
    ASSERT_FALSE(*heard);
    EXPECT_THAT(heard->error().error.message, HasSubstr("stopped 3 times"));
    EXPECT_EQ(m_pids.size(), 3u);
}

TEST_F(ClientTest, NonsenseEndsInOneSentence) {
    const auto ingle = client({"--nonsense"});
    std::optional<Outcome<protocol::Inspect>> heard;
    inspect(*ingle, "a", heard);
    ASSERT_TRUE(m_told.until([&] { return heard.has_value(); }));
    ASSERT_FALSE(*heard);
    EXPECT_THAT(heard->error().error.message, HasSubstr("Not a protocol message"));
    EXPECT_EQ(m_pids.size(), 3u);
}

TEST_F(ClientTest, AMissingProgramIsOneSentence) {
    auto ingle = Client::create(startedBy({"/nowhere/ingle", {"host"}}), {}).value();
    std::optional<Outcome<protocol::Inspect>> heard;
    inspect(*ingle, "a", heard);
    ASSERT_TRUE(m_told.until([&] { return heard.has_value(); }));
    ASSERT_FALSE(*heard);
    EXPECT_EQ(heard->error().error.code, ErrorCode::Io);
    EXPECT_THAT(heard->error().error.message, HasSubstr("was not found"));
}

TEST_F(ClientTest, AHostKilledWhileIdleIsStartedByTheNextRequest) {
    const auto ingle = client({});
    std::optional<Outcome<protocol::Inspect>> heard;
    inspect(*ingle, "a", heard);
    ASSERT_TRUE(m_told.until([&] { return heard.has_value(); }));
    ::kill(static_cast<pid_t>(m_pids.at(0)), SIGKILL);
    ASSERT_TRUE(m_told.until([&] { return m_pid == 0; }));
    EXPECT_TRUE(isGone(m_pids[0]));
    heard.reset();
    inspect(*ingle, "b", heard);
    ASSERT_TRUE(m_told.until([&] { return heard.has_value(); }));
    EXPECT_EQ((*heard)->info.path, "b");
    EXPECT_EQ(m_pids.size(), 2u);
}

TEST_F(ClientTest, HandlersMayAskForMore) {
    int replies = 0;
    std::function<void()> askAgain;  // both outlive the client
    const auto ingle = client({});
    askAgain = [&] {
        ingle->send<protocol::Inspect>({"a", {}}, {.finished = [&](const auto&) {
                                           m_told.tell([&] { ++replies; });
                                           if (replies < 5) askAgain();
                                       }});
    };
    askAgain();
    EXPECT_TRUE(m_told.until([&] { return replies == 5; }));
}

TEST_F(ClientTest, ManyThreadsMayAsk) {
    const auto ingle = client({});
    constexpr int kThreads = 4;
    constexpr int kEach = 25;
    int replies = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            for (int j = 0; j < kEach; ++j) {
                const auto id = ingle->send<protocol::Inspect>(
                    {"a", {}}, {.finished = [&](const auto&) { m_told.tell([&] { ++replies; }); }});
                if (j % 5 == 0) ingle->cancel(id);
                if (j % 7 == 0) ingle->retain({{"1"}, {}});
            }
        });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_TRUE(m_told.until([&] { return replies == kThreads * kEach; }));
}

TEST_F(ClientTest, DestructionWhileBusyEndsTheHostAndCallsNobody) {
    ClientAnswer answers[2];
    {
        const auto ingle = client({"--tokens", "100000000"});
        load(*ingle);
        for (ClientAnswer& each : answers) generate(*ingle, each, std::to_string(&each - answers));
        ASSERT_TRUE(m_told.until([&] { return answers[1].ids.size() > 10; }));
    }
    EXPECT_EQ(answers[0].ends + answers[1].ends, 0);
    EXPECT_TRUE(isGone(m_pids.at(0)));
}

TEST_F(ClientTest, AHostThatDoesNotEndIsKilled) {
    {
        const auto ingle = client({"--deaf"});
        std::optional<Outcome<protocol::Inspect>> heard;
        inspect(*ingle, "a", heard);
        ASSERT_TRUE(m_told.until([&] { return heard.has_value(); }));
    }
    EXPECT_TRUE(isGone(m_pids.at(0)));
}

TEST_F(ClientTest, AClientThatIsNotUsedStartsNothing) {
    { const auto ingle = client({}); }
    EXPECT_TRUE(m_pids.empty());
}

}  // namespace
}  // namespace ingle::client
