#include "app/serve/api/answer.h"
#include "app/serve/api/endpoint.h"
#include "app/serve/api/ollama.h"

namespace ingle::serve::api::ollama_chat_endpoint {

extern const Endpoint endpoint{.method = "POST",
                               .path = "/api/chat",
                               .errors = ErrorShape::Ollama,
                               .serve = [](Service& service, std::shared_ptr<http::Exchange> exchange) {
                                   auto request = readOllamaChat(exchange->takeBody());
                                   Answer::begin(service.room, std::move(request), ollamaChatForm(),
                                                 std::move(exchange));
                               }};

}  // namespace ingle::serve::api::ollama_chat_endpoint
