/// A bridge in a thread of its own, and a client that speaks the host protocol with it.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <thread>

#include "app/bridge/bridge.h"
#include "app/protocol/framing.h"
#include "tests/temporary_folder.h"
#include "tests/unix_socket.h"

namespace ingle::test {

class RunningBridge {
  public:
    explicit RunningBridge(const std::string& url, const std::string& key = {},
                           std::vector<std::string> named = {}) {
        m_bridge =
            bridge::Bridge::open({.address = bridge::farAddress(url, bridge::Plain::OnlyLoopback).value(),
                                  .key = key,
                                  .named = std::move(named),
                                  .socket = path()})
                .value();
        m_thread = std::thread([this] { m_bridge->run(m_stop.get()); });
    }
    ~RunningBridge() {
        const uint64_t one = 1;
        EXPECT_EQ(::write(m_stop.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
        m_thread.join();
    }
    std::string path() const { return m_folder.file("inglenook/bridge.sock"); }

  private:
    const TemporaryFolder m_folder;
    const FileDescriptor m_stop{::eventfd(0, EFD_CLOEXEC)};
    std::unique_ptr<bridge::Bridge> m_bridge;
    std::thread m_thread;
};

class BridgeClient {
  public:
    explicit BridgeClient(const std::string& path) : m_socket(connectTo(path)) {
        EXPECT_TRUE(m_socket.isOpen());
    }
    /// Greets and loads.
    BridgeClient(const std::string& path, const std::string& model) : BridgeClient(path) {
        EXPECT_TRUE(std::holds_alternative<protocol::HelloOk>(ask(protocol::Hello{})));
        if (!model.empty()) {
            const auto loaded = ask(protocol::Load{"bridge:" + model, {}});
            EXPECT_TRUE(std::holds_alternative<protocol::Loaded>(loaded));
        }
    }

    protocol::RequestId send(protocol::RequestBody body) {
        const protocol::Request request{++m_lastId, std::move(body)};
        sendBytes(protocol::frame(protocol::encode(request)).value());
        return request.id;
    }
    void sendBytes(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t count = ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count <= 0) return;
            bytes.remove_prefix(static_cast<size_t>(count));
        }
    }
    /// The next event; id 0 and a Failed where none comes for ten seconds or the connection ends.
    protocol::Event next() {
        for (;;) {
            if (auto message = m_messages.next()) {
                auto event = protocol::decodeEvent(message->value());
                EXPECT_TRUE(event) << **message;
                if (event) return *std::move(event);
            }
            pollfd ready{m_socket.get(), POLLIN, 0};
            char bytes[65536];
            const ssize_t count =
                ::poll(&ready, 1, 10'000) == 1 ? ::recv(m_socket.get(), bytes, sizeof bytes, 0) : -1;
            if (count <= 0) return {0, protocol::Failed{{ErrorCode::Io, "the bridge is silent"}, {}}};
            m_messages.append({bytes, static_cast<size_t>(count)});
        }
    }
    /// Sends a request that has one answer, and returns that.
    protocol::EventBody ask(protocol::RequestBody body) {
        const auto id = send(std::move(body));
        auto event = next();
        EXPECT_EQ(event.id, id) << protocol::encode(event);
        return std::move(event.body);
    }
    /// The sentence of a request that fails, and "" of one that does not.
    std::string refusal(protocol::RequestBody body, std::optional<ErrorCode> code = {}) {
        const auto answered = ask(std::move(body));
        const auto* failed = std::get_if<protocol::Failed>(&answered);
        if (!failed) return "";
        if (code) {
            EXPECT_EQ(failed->error.code, *code) << failed->error.message;
        }
        return failed->error.message;
    }
    int descriptor() const { return m_socket.get(); }

  private:
    FileDescriptor m_socket;
    protocol::MessageReader m_messages;
    protocol::RequestId m_lastId = 0;
};

/// What came of an answer.
struct Told {
    int numPlans = 0, numTokens = 0;
    PromptPlan plan;
    std::vector<Part> parts;
    std::optional<protocol::Done> done;
    std::optional<Error> error;

    std::string text() const { return textOf(parts, PartKind::Text); }
};

inline Told collect(BridgeClient& client, protocol::RequestId id) {
    Told told;
    while (!told.done && !told.error) {
        auto event = client.next();
        EXPECT_EQ(event.id, id) << protocol::encode(event);
        if (const auto* planned = std::get_if<protocol::Planned>(&event.body)) {
            ++told.numPlans;
            told.plan = planned->plan;
        } else if (const auto* tokens = std::get_if<protocol::Tokens>(&event.body)) {
            EXPECT_EQ(told.numPlans, 1) << "the plan comes first";
            EXPECT_TRUE(tokens->chunk.ids.empty());
            ++told.numTokens;
            for (const PartPiece& piece : tokens->chunk.pieces) append(told.parts, piece);
        } else if (const auto* done = std::get_if<protocol::Done>(&event.body)) {
            told.done = *done;
        } else if (const auto* failed = std::get_if<protocol::Failed>(&event.body)) {
            told.error = failed->error;
        } else {
            ADD_FAILURE() << protocol::encode(event);
        }
    }
    return told;
}

inline protocol::Generate question(const std::string& text = "Hello!") {
    protocol::Generate generate;
    generate.request.messages = {textMessage(Role::User, text)};
    return generate;
}

}  // namespace ingle::test
