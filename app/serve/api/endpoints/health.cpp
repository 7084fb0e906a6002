#include "app/serve/api/endpoint.h"

namespace ingle::serve::api::health_endpoint {

extern const Endpoint endpoint{.method = "GET",
                               .path = "/health",
                               .isOpen = true,
                               .serve = [](Service& service, std::shared_ptr<http::Exchange> exchange) {
                                   http::Response response = jsonResponse(R"({"status":"ok"})");
                                   if (service.room.isClosing())
                                       response = {503, R"({"status":"ending"})", response.headers};
                                   exchange->reply(std::move(response));
                               }};

}  // namespace ingle::serve::api::health_endpoint
