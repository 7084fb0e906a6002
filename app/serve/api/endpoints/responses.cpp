#include "app/serve/api/responses.h"

#include "app/serve/api/answer.h"
#include "app/serve/api/endpoint.h"

namespace ingle::serve::api::responses_endpoint {
namespace {

void serve(Service& service, std::shared_ptr<http::Exchange> exchange) {
    auto request = readResponsesRequest(exchange->takeBody());
    if (!request) return exchange->reply(toResponse(request.error()));
    Answer::begin(service.room, std::move(request->answer), responsesForm(std::move(request->echoed)),
                  std::move(exchange));
}

}  // namespace

extern const Endpoint endpoint{.method = "POST", .path = "/v1/responses", .serve = serve};

}  // namespace ingle::serve::api::responses_endpoint
