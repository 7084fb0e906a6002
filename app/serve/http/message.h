/// A request of HTTP/1.1 as an endpoint sees it (RFC 9110).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingle::serve::http {

struct Request {
    std::string method;
    std::string path;                            ///< decoded, without the query
    std::map<std::string, std::string> headers;  ///< names in small letters
    std::string body;

    /// Empty where there is no such header.
    std::string_view header(std::string_view name) const {
        const auto found = headers.find(std::string(name));
        return found == headers.end() ? std::string_view() : std::string_view(found->second);
    }
};

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Response {
    int status = 200;
    std::string body;
    Headers headers = {};  ///< Content-Length is added
};

/// An error as OpenAI's API has it. `message` and `code` must need no escaping in JSON.
Response refusal(int status, std::string_view message, std::string_view code);

}  // namespace ingle::serve::http
