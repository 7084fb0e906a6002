/// JSON as it comes in texts and leaves the server.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ingle::serve::api {

/// How deep JSON of strangers may be nested: what copies and prints it recurses.
inline constexpr int kMostDepth = 64;

/// Discarded where it is no JSON, or nested deeper.
nlohmann::ordered_json parseJson(std::string_view text);

/// Invalid UTF-8 becomes U+FFFD.
inline std::string toText(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ingle::serve::api
