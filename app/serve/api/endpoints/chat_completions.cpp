#include "app/serve/api/answer.h"
#include "app/serve/api/endpoint.h"

namespace ingle::serve::api::chat_completions_endpoint {

extern const Endpoint endpoint{.method = "POST",
                               .path = "/v1/chat/completions",
                               .serve = [](Service& service, std::shared_ptr<http::Exchange> exchange) {
                                   auto request = readChatRequest(exchange->takeBody());
                                   auto form = chatForm(request && request->withUsage);
                                   Answer::begin(service.room, std::move(request), std::move(form),
                                                 std::move(exchange));
                               }};

}  // namespace ingle::serve::api::chat_completions_endpoint
