#include "app/serve/page.h"

#include <fmt/format.h>

#include <random>

#include "app/serve/api/endpoint.h"

namespace ingle::serve::api::page_endpoint {
namespace {

std::string withNonce(const std::string& nonce) {
    constexpr std::string_view kMark = "NONCE";
    std::string page(kPage);
    for (size_t at = page.find(kMark); at != page.npos; at = page.find(kMark, at + nonce.size()))
        page.replace(at, kMark.size(), nonce);
    return page;
}

void serve(Service&, std::shared_ptr<http::Exchange> exchange) {
    std::random_device device;
    const std::string nonce = fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
    // Nothing but what stands in the page itself, and requests to this server.
    const std::string policy = fmt::format(
        "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        nonce);
    exchange->reply({.status = 200,
                     .body = withNonce(nonce),
                     .headers = {{"Content-Type", "text/html; charset=utf-8"},
                                 {"Content-Security-Policy", policy},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"Cache-Control", "no-store"}}});
}

}  // namespace

extern const Endpoint endpoint{.method = "GET", .path = "/", .isOpen = true, .serve = serve};

}  // namespace ingle::serve::api::page_endpoint
