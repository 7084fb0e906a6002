#include "app/serve/api/endpoint.h"

namespace ingle::serve::api::metrics_endpoint {

extern const Endpoint endpoint{
    .method = "GET",
    .path = "/metrics",
    .serve = [](Service& service, std::shared_ptr<http::Exchange> exchange) {
        exchange->reply({.status = 200,
                         .body = service.metrics.text(),
                         .headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}});
    }};

}  // namespace ingle::serve::api::metrics_endpoint
