#include "app/serve/api/messages.h"

#include "app/serve/api/answer.h"
#include "app/serve/api/endpoint.h"

namespace ingle::serve::api::messages_endpoint {

extern const Endpoint endpoint{.method = "POST",
                               .path = "/v1/messages",
                               .errors = ErrorShape::Anthropic,
                               .serve = [](Service& service, std::shared_ptr<http::Exchange> exchange) {
                                   auto request = readMessagesRequest(exchange->takeBody());
                                   Answer::begin(service.room, std::move(request), messagesForm(),
                                                 std::move(exchange));
                               }};

}  // namespace ingle::serve::api::messages_endpoint
