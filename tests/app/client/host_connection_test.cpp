/// The client with a host that runs already, and listens.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "app/client/client.h"
#include "app/client/host_connection.h"
#include "app/local/local_socket.h"
#include "ingle/error_ids.h"
#include "ingle/spawn.h"
#include "tests/app/client/told.h"
#include "tests/temporary_folder.h"

namespace ingle::client {
namespace {

using namespace std::chrono_literals;

/// Gives each client a scripted host, as a bridge serves each by itself.
class Listening {
  public:
    explicit Listening(const std::string& path, std::vector<std::string> arguments = {})
        : m_socket(local::LocalSocket::listen(path).value()),
          m_arguments(std::move(arguments)),
          m_thread([this] { serve(); }) {}
    ~Listening() {
        m_isEnding = true;
        m_thread.join();
        endHosts();
    }
    /// In the middle of whatever they do.
    void endHosts() {
        const std::scoped_lock lock(m_mutex);
        for (const pid_t host : m_hosts) {
            ::kill(host, SIGKILL);
            ::waitpid(host, nullptr, 0);
        }
        m_hosts.clear();
    }
    /// A client that was answered counts: its host is started and counted under one lock.
    int numClients() {
        const std::scoped_lock lock(m_mutex);
        return m_numClients;
    }

  private:
    void serve() {
        while (!m_isEnding) {
            pollfd waiting{m_socket.descriptor(), POLLIN, 0};
            if (::poll(&waiting, 1, 10) != 1) continue;
            if (const auto client = m_socket.accept()) start(client->get());
        }
    }
    void start(int client) {
        ::fcntl(client, F_SETFL, 0);  // as a host has it
        const std::scoped_lock lock(m_mutex);
        pid_t host = 0;
        ASSERT_EQ(
            spawn(
                {.program = INGLE_SCRIPTED_HOST, .arguments = m_arguments, .input = client, .output = client},
                host),
            0);
        m_hosts.push_back(host);
        ++m_numClients;
    }

    const local::LocalSocket m_socket;
    std::vector<std::string> m_arguments;
    std::mutex m_mutex;
    std::vector<pid_t> m_hosts;
    int m_numClients = 0;
    std::atomic<bool> m_isEnding = false;
    std::thread m_thread;  // last: it uses the others
};

class HostConnectionTest : public testing::Test {
  protected:
    std::unique_ptr<Client> client() {
        Options options;
        options.hostKind = HostKind::Bridge;
        options.notices.restarted = [this](Recovery) { ++m_restarts; };
        return Client::create(connectedAt(m_path), std::move(options)).value();
    }
    Outcome<protocol::Inspect> inspect(Client& client) {
        std::optional<Outcome<protocol::Inspect>> heard;
        client.send<protocol::Inspect>(
            {"a", {}}, {.finished = [&](const auto& outcome) { m_told.tell([&] { heard = outcome; }); }});
        EXPECT_TRUE(m_told.until([&] { return heard.has_value(); }));
        return *heard;
    }

    const test::TemporaryFolder m_folder;
    const std::string m_path = m_folder.file("bridge.sock");
    std::atomic<int> m_restarts = 0;
    test::ToldByThreads m_told;
};

TEST_F(HostConnectionTest, WhereNobodyListensItIsSaidAndTriedAgainLater) {
    const auto bridge = client();
    auto heard = inspect(*bridge);
    ASSERT_FALSE(heard);
    EXPECT_EQ(errorIdOf(heard.error().error), ErrorId::BridgeMissing) << heard.error().error.message;
    const Listening listening(m_path);
    heard = inspect(*bridge);
    ASSERT_TRUE(heard) << heard.error().error.message;
    EXPECT_EQ(heard->info.path, "a");
    EXPECT_EQ(m_restarts, 0);
}

TEST_F(HostConnectionTest, WhatWasUnderWayFailsWhenItEndsAndIsNotAskedAgain) {
    Listening listening(m_path, {"--tokens", "100000000"});
    // Before the client, which writes to them until it goes.
    std::vector<TokenId> ids;
    std::vector<Error> errors;
    const auto bridge = client();
    bridge->send<protocol::Load>({"bridge:m", {}}, {});
    const auto ask = [&] {
        bridge->send<protocol::Generate>(
            {}, {.finished =
                     [&](const Outcome<protocol::Generate>& outcome) {
                         m_told.tell([&] { errors.push_back(outcome.error().error); });
                     },
                 .update =
                     [&](const protocol::Generate::Update& update) {
                         const auto* tokens = std::get_if<protocol::Tokens>(&update);
                         if (tokens == nullptr) return;
                         m_told.tell([&] {
                             ids.insert(ids.end(), tokens->chunk.ids.begin(), tokens->chunk.ids.end());
                         });
                     }});
    };
    ask();
    ASSERT_TRUE(m_told.until([&] { return ids.size() > 10; }));
    listening.endHosts();
    ASSERT_TRUE(m_told.until([&] { return errors.size() == 1; }));
    EXPECT_EQ(errorIdOf(errors[0]), ErrorId::BridgeLost) << errors[0].message;
    EXPECT_EQ(listening.numClients(), 1) << "nobody asked for anything since";
    // The next answer finds the model again, on another connection.
    const size_t before = ids.size();
    ask();
    TokenId first = -1;
    ASSERT_TRUE(m_told.until([&] {
        if (ids.size() <= before + 10) return false;
        first = ids[before];
        return true;
    }));
    EXPECT_EQ(first, 0) << "it is another answer";
    EXPECT_EQ(listening.numClients(), 2);
    EXPECT_EQ(m_restarts, 0);
}

TEST_F(HostConnectionTest, OneThatEndsBeforeItGreetsIsNotTriedForEver) {
    Listening listening(m_path, {"--silent"});
    const auto bridge = client();
    std::thread ending([&] {
        while (listening.numClients() == 0) std::this_thread::sleep_for(1ms);
        listening.endHosts();
    });
    const auto heard = inspect(*bridge);
    ending.join();
    ASSERT_FALSE(heard);
    EXPECT_EQ(errorIdOf(heard.error().error), ErrorId::BridgeLost);
    EXPECT_EQ(listening.numClients(), 1);
}

TEST_F(HostConnectionTest, AClientThatGoesLeavesItRunning) {
    Listening listening(m_path);
    const auto stays = client();
    {
        const auto goes = client();
        ASSERT_TRUE(inspect(*goes));
        ASSERT_TRUE(inspect(*stays));
    }
    EXPECT_TRUE(inspect(*stays));
    EXPECT_EQ(listening.numClients(), 2);
}

}  // namespace
}  // namespace ingle::client
