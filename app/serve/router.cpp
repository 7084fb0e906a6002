#include "app/serve/router.h"

#include "app/serve/api/endpoint.h"

namespace ingle::serve {

std::optional<http::Response> Router::gate(const http::Request& request) {
    const auto endpoint = api::endpointFor(request.method, request.path);
    const auto refused = refusalOf(request, m_rules, endpoint.has_value() && (*endpoint)->isOpen);
    const api::ErrorShape shape = api::errorShapeOf(request.path);
    std::optional<http::Response> refusal;
    if (refused)
        refusal = api::toResponse(*refused, shape);
    else if (request.method == "OPTIONS")
        refusal = http::Response{.status = 204, .body = {}, .headers = crossOriginHeaders(request, m_rules)};
    else if (!endpoint)
        refusal = api::toResponse(endpoint.error(), shape);
    if (!refusal) return std::nullopt;
    if (request.method != "OPTIONS") {
        const http::Headers headers = crossOriginHeaders(request, m_rules);
        refusal->headers.insert(refusal->headers.end(), headers.begin(), headers.end());
    }
    m_service.metrics.countRequest("none", refusal->status);
    return refusal;
}

void Router::handle(std::shared_ptr<http::Exchange> exchange) {
    const http::Request& request = exchange->request();
    const auto endpoint = api::endpointFor(request.method, request.path);
    if (!endpoint) return exchange->reply(api::toResponse(endpoint.error()));
    exchange->prepare(crossOriginHeaders(request, m_rules),
                      [&metrics = m_service.metrics, path = (*endpoint)->path](int status) {
                          metrics.countRequest(path, status);
                      });
    (*endpoint)->serve(m_service, std::move(exchange));
}

}  // namespace ingle::serve
