/// One client of the bridge: the host's side of the host protocol, over a far server.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/bridge/answer.h"
#include "app/bridge/far_models.h"
#include "app/bridge/far_server.h"
#include "app/protocol/messages.h"

namespace ingle::bridge {

/// What all clients share.
struct Far {
    FarServer& server;
    FarKnowledge& knowledge;
    std::vector<std::string> named;  ///< the models that are offered; empty: all that the server has
};

/// One thread.
class Session {
  public:
    /// Requests of one client that may be under way.
    static constexpr size_t kMostRequests = 64;

    struct Output {
        std::function<void(const protocol::Event&)> send;
        std::function<bool()> hasRoom;  ///< false: resume() follows
    };

    Session(Far far, Output output) : m_far(std::move(far)), m_output(std::move(output)) {}
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void receive(const std::string& message);
    /// Of a line that could not be read.
    void refuse(Error error) { fail(0, std::move(error)); }
    void resume();
    /// Between events of the far server: lets go of what has ended, and goes on with what pauses.
    void tick();
    bool isPausing() const;

  private:
    using Id = protocol::RequestId;
    using Models = std::vector<FarModel>;
    struct Request {
        FarServer::CallId call = 0;
        std::unique_ptr<Answer> answer;
    };

    /// What is not specialised is not offered here.
    template <typename R>
    void serve(Id id, const R& request);

    void countText(Id id, const protocol::Count& count, bool isSecondTry);
    void countMessages(Id id, const protocol::Count& count);
    void untold(Id id);

    /// Asks the far server and hands on its answer, unless that is cancelled before.
    void ask(Id id, FarCall call, std::function<void(FarEnd)> answer);
    void askModels(Id id, std::function<void(Result<Models>)> answer);
    Result<FarModel> modelAt(const std::string& path, const Models& models) const;
    void reply(Id id, protocol::EventBody body) { m_output.send({id, std::move(body)}); }
    void fail(Id id, Error error) { reply(id, protocol::Failed{std::move(error), {}}); }

    const Far m_far;
    const Output m_output;
    bool m_greeted = false;
    std::optional<FarModel> m_model;  ///< the one in use
    std::map<Id, Request> m_requests;
    std::vector<std::unique_ptr<Answer>> m_ended;  ///< they called from within themselves
};

}  // namespace ingle::bridge
