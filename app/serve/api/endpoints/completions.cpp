#include "app/serve/api/answer.h"
#include "app/serve/api/endpoint.h"

namespace ingle::serve::api::completions_endpoint {

extern const Endpoint endpoint{.method = "POST",
                               .path = "/v1/completions",
                               .serve = [](Service& service, std::shared_ptr<http::Exchange> exchange) {
                                   auto request = readCompletionRequest(exchange->takeBody());
                                   Answer::begin(service.room, std::move(request), completionForm(),
                                                 std::move(exchange));
                               }};

}  // namespace ingle::serve::api::completions_endpoint
