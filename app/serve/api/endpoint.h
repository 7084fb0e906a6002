/// One thing that the server can be asked.
#pragma once

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

/// Errors: 404 (model_not_found).
Expected<const ServedModel*> modelNamed(const EngineRoom& room, const std::string& name);
/// The same for one of that purpose. Errors: 400 for a model of another one, too.
Expected<const ServedModel*> modelFor(const EngineRoom& room, const std::string& name,
                                      library::ModelPurpose purpose);

/// Takes places in the room, which the one who asked gives back. Errors: 429 with the time to wait; 503 while
/// the server ends.
Expected<void> enter(EngineRoom& room, unsigned answers);

/// As the API describes a model.
nlohmann::ordered_json describe(const ServedModel& model);

http::Response jsonResponse(std::string body);

}  // namespace ingle::serve::api
