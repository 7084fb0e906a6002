#include "app/serve/access.h"

#include <algorithm>
#include <cctype>

#include "app/local/key_file.h"

namespace ingle::serve {
namespace {

constexpr size_t kShortestKey = 16;

bool isThisComputer(std::string_view name) {
    return name == "localhost" || name == "127.0.0.1" || name == "[::1]";
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
    return std::ranges::find(list, text) != list.end();
}

std::string lowered(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

bool isOwnOrigin(const http::Request& request) {
    const std::string_view origin = request.header("origin");
    const std::string host = lowered(request.header("host"));
    return origin == "http://" + host || origin == "https://" + host;  // behind a proxy that has TLS
}

/// Takes as long for any key of its length.
bool isSame(std::string_view given, std::string_view key) {
    if (given.size() != key.size()) return false;
    unsigned char difference = 0;
    for (size_t at = 0; at < key.size(); ++at)
        difference = static_cast<unsigned char>(difference | (given[at] ^ key[at]));
    return difference == 0;
}

api::ApiError refused(int status, std::string message, std::string code) {
    return {.status = status, .message = std::move(message), .code = std::move(code)};
}

}  // namespace

std::string_view hostName(std::string_view host) {
    const size_t end = host.find(':', host.starts_with('[') ? host.find(']') : 0);
    if (end == host.npos) return host;
    const bool isPort = host.find_first_not_of("0123456789", end + 1) == host.npos;
    return isPort ? host.substr(0, end) : std::string_view();
}

std::optional<api::ApiError> refusalOf(const http::Request& request, const AccessRules& rules, bool isOpen) {
    if (rules.isOnNetwork) {
        const std::string host = lowered(hostName(request.header("host")));
        if (!isThisComputer(host) && !contains(rules.hosts, host))
            return refused(403, "This server does not answer under that host name.", "host_not_allowed");
    }
    const std::string_view origin = request.header("origin");
    if (!origin.empty() && !isOwnOrigin(request) && !contains(rules.origins, origin))
        return refused(403, "Pages of that origin may not ask this server.", "origin_not_allowed");
    if (rules.key.empty() || isOpen || request.method == "OPTIONS") return std::nullopt;
    constexpr std::string_view kScheme = "bearer ";
    std::string_view given = request.header("authorization");
    const bool hasScheme = lowered(given.substr(0, kScheme.size())) == kScheme;
    given.remove_prefix(std::min(given.size(), kScheme.size()));
    if (hasScheme && isSame(given, rules.key)) return std::nullopt;
    if (isSame(request.header("x-api-key"), rules.key))
        return std::nullopt;  // as Anthropic's clients send it
    return refused(401, "The key is missing or wrong.", "invalid_api_key");
}

http::Headers crossOriginHeaders(const http::Request& request, const AccessRules& rules) {
    const std::string_view origin = request.header("origin");
    if (origin.empty() || !contains(rules.origins, origin)) return {};
    // OpenAI's client has headers of its own; none of them means anything here.
    const std::string_view asked = request.header("access-control-request-headers");
    return {
        {"Access-Control-Allow-Origin", std::string(origin)},
        {"Access-Control-Allow-Headers", asked.empty() ? "Authorization, Content-Type" : std::string(asked)},
        {"Access-Control-Allow-Methods", "GET, POST"},
        {"Vary", "Origin"}};
}

Result<std::string> readKey(const std::string& path) {
    auto key = local::readKeyFile(path);
    if (key && key->size() < kShortestKey)
        return fail(ErrorCode::InvalidArgument, "{}: the key has less than {} characters", path,
                    kShortestKey);
    return key;
}

}  // namespace ingle::serve
