/// Who may ask: browsers on other sites must not (DNS rebinding, cross-origin requests), and where a key is
/// required nobody may without it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/api/api_error.h"
#include "app/serve/http/message.h"
#include "ingle/result.h"

namespace ingle::serve {

struct AccessRules {
    std::string key;                   ///< empty: none is required
    bool isOnNetwork = false;          ///< a socket of the file system admits no browser and names no host
    std::vector<std::string> hosts;    ///< of the Host header, beside those of this computer itself
    std::vector<std::string> origins;  ///< that may ask from a browser, beside the server's own page
};

/// "localhost:8080" without its port: "localhost". Empty where what follows is no port.
std::string_view hostName(std::string_view host);

/// Why a request is refused; nothing: it may go on. `isOpen`: it needs no key.
std::optional<api::ApiError> refusalOf(const http::Request& request, const AccessRules& rules, bool isOpen);

/// Headers with which a browser admits the answer to the page that asked for it; none for the server's own.
http::Headers crossOriginHeaders(const http::Request& request, const AccessRules& rules);

/// The first line of a file that only its owner may read. Errors: Io; InvalidArgument, when others may read
/// it or the key is shorter than 16 characters.
Result<std::string> readKey(const std::string& path);

}  // namespace ingle::serve
