/// A supervisor whose host is the test itself, without a process and without time.
#pragma once

#include "app/client/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <numeric>
#include <set>

#include "ingle/error_ids.h"
#include "tests/pieces.h"

namespace ingle::client {

inline constexpr HostEnd kKilled{HostEnd::How::Signal, SIGKILL};
inline constexpr HostEnd kCrashed{HostEnd::How::Signal, SIGSEGV};

inline std::vector<TokenId> firstIds(int count) {
    std::vector<TokenId> ids(static_cast<size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
}

/// Everything one generation told.
struct Answer {
    std::vector<TokenId> ids;
    std::string text;
    std::vector<PartPiece> pieces;
    int updates = 0;
    int ends = 0;
    std::optional<GenerateResult> result;
    std::optional<Error> error;

    Handlers<protocol::Generate> handlers() {
        return {.finished =
                    [this](const Outcome<protocol::Generate>& outcome) {
                        ++ends;
                        if (outcome)
                            result = outcome->result;
                        else
                            error = outcome.error().error;
                    },
                .update =
                    [this](const protocol::Generate::Update& update) {
                        const auto* tokens = std::get_if<protocol::Tokens>(&update);
                        if (tokens == nullptr) return;
                        ++updates;
                        ids.insert(ids.end(), tokens->chunk.ids.begin(), tokens->chunk.ids.end());
                        text += test::allText(tokens->chunk.pieces);
                        pieces.insert(pieces.end(), tokens->chunk.pieces.begin(), tokens->chunk.pieces.end());
                    }};
    }
};

class SupervisorTest : public testing::Test, public HostLink {
  protected:
    SupervisorTest() : m_supervisor(*this, options({})) {}

    Options options(std::chrono::milliseconds tokenInterval) {
        return {.notices = {.restarted = [this](Recovery how) { m_recoveries.push_back(how); },
                            .deviceChanged = [this](const DeviceStatus& s) { m_devices.push_back(s.device); },
                            .loadingAgain = [](const protocol::Progress&) {},
                            .hostPidChanged = [this](int64_t pid) { m_pid = pid; },
                            .alsoLoadedChanged = [this](const std::string& path) { m_also.push_back(path); }},
                .tokenInterval = tokenInterval,
                .execute = {},
                .now = [this] { return m_now; }};
    }

    Result<int64_t> start() override {
        ++m_starts;
        m_said.clear();
        m_reader = {};
        if (m_missing) return fail(ErrorCode::Io, "It is missing.");
        return 100 + m_starts;
    }
    void send(std::string bytes) override {
        m_reader.append(bytes);
        while (auto message = m_reader.next()) m_said.push_back(protocol::decodeRequest(**message).value());
    }
    void abandon() override { ++m_abandoned; }

    template <typename R>
    protocol::RequestId ask(R request, Handlers<R> handlers) {
        const protocol::RequestId id = m_supervisor.newId();
        m_supervisor.add(makeCall<R>(id, std::move(request), std::move(handlers)));
        return id;
    }
    protocol::RequestId askFor(Answer& answer, const std::string& conversation) {
        protocol::Generate generate;
        generate.request.conversation = conversation;
        return ask(generate, answer.handlers());
    }
    protocol::RequestId inspect(const std::string& path, std::string& heard) {
        return ask(protocol::Inspect{path, {}},
                   Handlers<protocol::Inspect>{.finished = [&heard](const auto& outcome) {
                       heard += outcome ? outcome->info.path : outcome.error().error.message;
                   }});
    }
    void load() {
        ask(protocol::Load{"m.gguf", {}}, Handlers<protocol::Load>{});
        serve();
    }

    void say(protocol::RequestId id, protocol::EventBody body) {
        m_supervisor.received(
            protocol::frame(protocol::encode(protocol::Event{id, std::move(body)})).value());
    }
    void token(protocol::RequestId id, TokenId token) {
        say(id, protocol::Tokens{test::chunkOf({token}, std::to_string(token) + " ")});
    }
    /// The requests of this kind that the present host has got.
    template <typename R>
    std::vector<std::pair<protocol::RequestId, R>> got() const {
        std::vector<std::pair<protocol::RequestId, R>> found;
        for (const protocol::Request& request : m_said)
            if (const auto* body = std::get_if<R>(&request.body)) found.emplace_back(request.id, *body);
        return found;
    }
    /// Answers greetings and loads that the present host has got.
    void serve() {
        for (size_t i = 0; i < m_said.size(); ++i) {
            const protocol::Request request = m_said[i];
            if (m_served.contains(request.id)) continue;
            ModelInfo info;
            info.device = "a stand-in";
            if (std::holds_alternative<protocol::Hello>(request.body)) say(request.id, protocol::HelloOk{});
            if (std::holds_alternative<protocol::Load>(request.body)) say(request.id, protocol::Loaded{info});
            m_served.insert(request.id);
        }
    }
    void end(HostEnd how) {
        m_supervisor.ended(how);
        serve();
    }

    int m_starts = 0;
    int m_abandoned = 0;
    bool m_missing = false;
    int64_t m_pid = 0;
    TimePoint m_now{};
    std::vector<Recovery> m_recoveries;
    std::vector<std::string> m_devices;
    std::vector<std::string> m_also;        ///< models beside the one in use, as they were told
    std::vector<protocol::Request> m_said;  ///< to the present host
    std::set<protocol::RequestId> m_served;
    protocol::MessageReader m_reader;
    Supervisor m_supervisor;
};

}  // namespace ingle::client
