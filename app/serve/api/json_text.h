/// JSON as it comes in texts and leaves the server.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ingle/bounded_json.h"

namespace ingle::serve::api {

/// Discarded where it is no JSON, or beyond the limits of ingle/bounded_json.h.
inline nlohmann::ordered_json parseJson(std::string_view text) {
    return parseBounded<nlohmann::ordered_json>(text);
}

/// Invalid UTF-8 becomes U+FFFD.
inline std::string toText(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ingle::serve::api
