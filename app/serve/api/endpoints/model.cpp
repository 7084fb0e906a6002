#include "app/serve/api/endpoint.h"
#include "app/serve/api/json_text.h"

namespace ingle::serve::api::model_endpoint {
namespace {

constexpr std::string_view kPath = "/v1/models/";

void serve(Service& service, std::shared_ptr<http::Exchange> exchange) {
    std::string name = exchange->request().path.substr(kPath.size());
    if (name.ends_with('/')) name.pop_back();
    const auto model = modelNamed(service.room, name);
    if (!model) return exchange->reply(toResponse(model.error()));
    exchange->reply(jsonResponse(toText(describe(**model))));
}

}  // namespace

extern const Endpoint endpoint{.method = "GET", .path = kPath, .serve = serve};

}  // namespace ingle::serve::api::model_endpoint
