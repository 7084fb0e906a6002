/// One thing that the server can be asked.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "app/serve/api/api_error.h"
#include "app/serve/http/exchange.h"
#include "app/serve/service.h"

namespace ingle::serve::api {

struct Endpoint {
    std::string_view method;
    std::string_view path;  ///< one that ends with '/' stands for all that begin with it, but for "/" itself
    /// Without a key: it tells nothing that is anybody's.
    bool isOpen = false;
    ErrorShape errors = ErrorShape::OpenAi;
    /// Answers the exchange, now or later.
    void (*serve)(Service& service, std::shared_ptr<http::Exchange> exchange) = nullptr;
};

/// One file each in app/serve/api/endpoints.
std::span<const Endpoint* const> allEndpoints();

/// The endpoint of a request: with a slash at the end as without, and without "/v1" where only that is
/// missing. Errors: 404 for an unknown path, 405 for another method.
Expected<const Endpoint*> endpointFor(std::string_view method, std::string_view path);

/// Whose form errors about a path have.
ErrorShape errorShapeOf(std::string_view path);

using ModelPointer = std::shared_ptr<const ServedModel>;

/// Errors: 404 (model_not_found).
Expected<ModelPointer> modelNamed(const EngineRoom& room, const std::string& name);
/// The same for one of that purpose; without a name, the only one that is served. Errors: 400 for a model of
/// another one, too, and for a missing name.
Expected<ModelPointer> modelFor(const EngineRoom& room, const std::string& name,
                                library::ModelPurpose purpose);

/// Takes places in the room, which the one who asked gives back. Errors: 429 with the time to wait; 503 while
/// the server ends.
Expected<void> enter(EngineRoom& room, unsigned answers);

/// As the API describes a model.
nlohmann::ordered_json describe(const ServedModel& model);

http::Response jsonResponse(std::string body);

/// Answers a request by questions to the engine about `model`, one after the other, so that the answers of
/// others go on in between. It stops when the client goes or its time is over.
template <typename R>
class Questions : public std::enable_shared_from_this<Questions<R>> {
  public:
    using Answered = typename client::Outcome<R>::value_type;
    /// Asks the next one.
    using Ask = std::function<protocol::RequestId(client::Handlers<R>)>;
    /// Makes the reply of what came back; nothing: there is more to ask.
    using Take = std::function<std::optional<http::Response>(const Answered&)>;

    Questions(EngineRoom& room, ModelPointer model, std::shared_ptr<http::Exchange> exchange, Ask ask,
              Take take, ErrorShape errors = ErrorShape::OpenAi)
        : m_room(room),
          m_model(std::move(model)),
          m_exchange(std::move(exchange)),
          m_ask(std::move(ask)),
          m_take(std::move(take)),
          m_errors(errors) {}

    /// Whoever waits for the engine keeps it alive.
    void begin() {
        if (auto entered = enter(m_room, 1); !entered)
            return m_exchange->reply(toResponse(entered.error(), m_errors));
        const auto stop = [self = this->weak_from_this()] {
            if (const auto here = self.lock()) here->stop();
        };
        m_deadline = m_room.deadlines().set(m_room.answerLimit(), stop);
        m_exchange->onGone(stop);
        askNext();
    }

  private:
    void askNext() {
        m_asked = m_ask({.finished = [self = this->shared_from_this()](const client::Outcome<R>& outcome) {
            self->answered(outcome);
        }});
        if (m_isStopped) m_room.cancel(m_asked);
    }

    void stop() {
        m_isStopped = true;
        m_room.cancel(m_asked);
    }

    void answered(const client::Outcome<R>& outcome) {
        std::optional<http::Response> response;
        if (m_isStopped)  // whoever has gone reads nothing
            response = toResponse(tooLate(m_room.answerLimit()), m_errors);
        else if (!outcome)
            response = toResponse(fromEngine(outcome.error().error, *m_model), m_errors);
        else
            response = m_take(*outcome);
        if (!response) return askNext();
        m_room.deadlines().callOff(m_deadline);
        m_room.leave();
        m_exchange->reply(*std::move(response));
    }

    EngineRoom& m_room;
    const ModelPointer m_model;
    const std::shared_ptr<http::Exchange> m_exchange;
    const Ask m_ask;
    const Take m_take;
    const ErrorShape m_errors;
    Deadlines::Id m_deadline = 0;
    std::atomic<protocol::RequestId> m_asked = 0;  ///< the last one
    std::atomic<bool> m_isStopped = false;
};

}  // namespace ingle::serve::api
