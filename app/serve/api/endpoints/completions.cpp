#include "app/serve/api/answer.h"
#include "app/serve/api/endpoint.h"

namespace ingle::serve::api::completions_endpoint {

extern const Endpoint endpoint{.method = "POST",
                               .path = "/v1/completions",
                               .serve = [](Service& service, std::shared_ptr<http::Exchange> exchange) {
                                   auto request = readCompletionRequest(exchange->takeBody());
                                   auto form = completionForm(request && request->withUsage);
                                   Answer::begin(service.room, std::move(request), std::move(form),
                                                 std::move(exchange));
                               }};

}  // namespace ingle::serve::api::completions_endpoint
