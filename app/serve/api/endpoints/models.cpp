#include "app/serve/api/endpoint.h"
#include "app/serve/api/json_text.h"

namespace ingle::serve::api::models_endpoint {
namespace {

using json = nlohmann::ordered_json;

void serve(Service& service, std::shared_ptr<http::Exchange> exchange) {
    json list = json::array();
    const auto models = service.room.models().all();
    for (const ServedModel& model : *models) list.push_back(describe(model));
    exchange->reply(jsonResponse(toText({{"object", "list"}, {"data", std::move(list)}})));
}

}  // namespace

extern const Endpoint endpoint{.method = "GET", .path = "/v1/models", .serve = serve};

}  // namespace ingle::serve::api::models_endpoint
