/// One thing that the server can be asked.
#pragma once

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "app/serve/api/api_error.h"
#include "app/serve/http/exchange.h"
#include "app/serve/service.h"

namespace ingle::serve::api {

struct Endpoint {
    std::string_view method;
    std::string_view path;  ///< one that ends with '/' stands for all that begin with it, but for "/" itself
    /// Without a key: it tells nothing that is anybody's.
    bool isOpen = false;
    /// Answers the exchange, now or later.
    void (*serve)(Service& service, std::shared_ptr<http::Exchange> exchange) = nullptr;
};

/// One file each in app/serve/api/endpoints.
std::span<const Endpoint* const> allEndpoints();

/// The endpoint of a request. Errors: 404 for an unknown path, 405 for another method.
Expected<const Endpoint*> endpointFor(std::string_view method, std::string_view path);

using ModelPointer = std::shared_ptr<const ServedModel>;

/// Errors: 404 (model_not_found).
Expected<ModelPointer> modelNamed(const EngineRoom& room, const std::string& name);
/// The same for one of that purpose. Errors: 400 for a model of another one, too.
Expected<ModelPointer> modelFor(const EngineRoom& room, const std::string& name,
                                library::ModelPurpose purpose);

/// Takes places in the room, which the one who asked gives back. Errors: 429 with the time to wait; 503 while
/// the server ends.
Expected<void> enter(EngineRoom& room, unsigned answers);

/// As the API describes a model.
nlohmann::ordered_json describe(const ServedModel& model);

http::Response jsonResponse(std::string body);

/// Answers a request by one question to the engine, which is cancelled when its client goes or its time is
/// over: `ask` asks it, for these handlers, and `responseOf` makes a reply of what comes back.
template <typename R, typename Ask, typename ResponseOf>
void answerOnce(EngineRoom& room, std::shared_ptr<http::Exchange> exchange, Ask ask, ResponseOf responseOf) {
    if (auto entered = enter(room, 1); !entered) return exchange->reply(toResponse(entered.error()));
    struct Time {
        std::atomic<bool> isOver = false;
        std::atomic<Deadlines::Id> deadline = 0;  ///< 0: not set yet
    };
    const auto time = std::make_shared<Time>();
    const auto finished = [&room, exchange, responseOf, time](const client::Outcome<R>& outcome) {
        room.deadlines().callOff(time->deadline);
        room.leave();
        if (outcome) return exchange->reply(responseOf(*outcome));
        exchange->reply(
            toResponse(time->isOver ? tooLate(room.answerLimit()) : fromEngine(outcome.error().error)));
    };
    const protocol::RequestId id = ask(client::Handlers<R>{.finished = finished});
    time->deadline = room.deadlines().set(room.answerLimit(), [&room, time, id] {
        time->isOver = true;
        room.cancel(id);
    });
    exchange->onGone([&room, id] { room.cancel(id); });
}

}  // namespace ingle::serve::api
