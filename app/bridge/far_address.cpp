#include "app/bridge/far_address.h"

#include <arpa/inet.h>
#include <curl/curl.h>

#include <cstdlib>
#include <memory>

namespace ingle::bridge {
namespace {

using Url = std::unique_ptr<CURLU, void (*)(CURLU*)>;

/// "" where the address has none.
std::string partOf(CURLU* url, CURLUPart part) {
    char* text = nullptr;
    if (::curl_url_get(url, part, &text, 0) != CURLUE_OK) return "";
    const std::unique_ptr<char, void (*)(void*)> owned(text, ::curl_free);
    return text;
}

bool isLoopback(const std::string& host) {
    if (host == "localhost" || host == "[::1]") return true;
    in_addr address{};
    return ::inet_pton(AF_INET, host.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

/// That in the address, or the usual one.
uint16_t portOf(CURLU* url, uint16_t usual) {
    const std::string port = partOf(url, CURLUPART_PORT);
    return port.empty() ? usual : static_cast<uint16_t>(std::strtoul(port.c_str(), nullptr, 10));
}

}  // namespace

std::vector<uint16_t> portsTo(const FarAddress& address) {
    constexpr uint16_t kUsualOfProxies = 1080, kEncrypted = 443;
    std::vector<uint16_t> ports{address.port};
    // Those that libcurl looks at.
    for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
        const char* proxy = std::getenv(name);
        const Url url(proxy ? ::curl_url() : nullptr, ::curl_url_cleanup);
        if (url && ::curl_url_set(url.get(), CURLUPART_URL, proxy,
                                  CURLU_DEFAULT_SCHEME | CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK)
            ports.push_back(portOf(
                url.get(), partOf(url.get(), CURLUPART_SCHEME) == "https" ? kEncrypted : kUsualOfProxies));
    }
    return ports;
}

Result<FarAddress> farAddress(const std::string& text, Plain plain) {
    const Url url(::curl_url(), ::curl_url_cleanup);
    if (!url || ::curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK)
        return fail(ErrorCode::InvalidArgument, "{} is no address of a server, as https://host/v1 is one.",
                    shown(text));
    const std::string scheme = partOf(url.get(), CURLUPART_SCHEME);
    const std::string host = partOf(url.get(), CURLUPART_HOST);
    if (scheme != "https" && scheme != "http")
        return fail(ErrorCode::InvalidArgument,
                    "An address of a server begins with https://, not with {}://.", shown(scheme));
    if (!partOf(url.get(), CURLUPART_USER).empty() || !partOf(url.get(), CURLUPART_PASSWORD).empty())
        return fail(ErrorCode::InvalidArgument,
                    "The address has a name or a password in it: a key belongs in a file (--key-file).");
    if (!partOf(url.get(), CURLUPART_QUERY).empty() || !partOf(url.get(), CURLUPART_FRAGMENT).empty())
        return fail(ErrorCode::InvalidArgument,
                    "The address of a server ends with its path, as in "
                    "https://host/v1.");
    FarAddress address;
    address.isLoopback = isLoopback(host);
    address.isEncrypted = scheme == "https";
    if (!address.isEncrypted && !address.isLoopback && plain == Plain::OnlyLoopback)
        return fail(ErrorCode::InvalidArgument,
                    "http:// would send chats and key to {} unencrypted; https:// does not, and --insecure "
                    "allows it.",
                    shown(host));
    const std::string port = partOf(url.get(), CURLUPART_PORT);
    address.host = port.empty() ? host : fmt::format("{}:{}", host, port);
    address.port = portOf(url.get(), address.isEncrypted ? 443 : 80);
    address.base = partOf(url.get(), CURLUPART_URL);
    while (address.base.ends_with('/')) address.base.pop_back();
    address.root =
        address.base.ends_with("/v1") ? address.base.substr(0, address.base.size() - 3) : address.base;
    return address;
}

}  // namespace ingle::bridge
