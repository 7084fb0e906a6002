/// JSON as it leaves the server.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ingle::serve::api {

/// Invalid UTF-8 becomes U+FFFD.
inline std::string toText(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ingle::serve::api
