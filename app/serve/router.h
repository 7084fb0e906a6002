/// From requests to endpoints.
#pragma once

#include <memory>
#include <optional>

#include "app/serve/access.h"
#include "app/serve/http/exchange.h"
#include "app/serve/service.h"

namespace ingle::serve {

/// Any thread.
class Router {
  public:
    /// `service` must outlive it.
    Router(Service service, AccessRules rules) : m_service(service), m_rules(std::move(rules)) {}

    /// As http::Gate; a browser's question whether it may ask is answered here, too.
    std::optional<http::Response> gate(const http::Request& request);
    void handle(std::shared_ptr<http::Exchange> exchange);

  private:
    Service m_service;
    const AccessRules m_rules;
};

}  // namespace ingle::serve
