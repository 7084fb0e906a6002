/// Parses JSON from untrusted sources. Its depth is limited because copying and printing recurse, and the
/// number of keys because an object compares each new key with all earlier ones.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace ingle {

/// The limits are far above what people write, and low enough for a parse without a noticeable wait.
struct JsonLimits {
    int depth = 64;             ///< how deep arrays and objects may be nested
    size_t keys = 20'000;       ///< of all objects together
    size_t keysOfObject = 512;  ///< of one object
};

/// Parses `text`. The value is discarded (`is_discarded()`) if `text` is not JSON or exceeds the limits. Does
/// not throw.
template <typename Json>
Json parseBounded(std::string_view text, const JsonLimits& limits = {}) {
    using Event = typename Json::parse_event_t;
    bool isTooMuch = false;
    size_t numKeys = 0;
    std::vector<size_t> keysOfObjects;
    // Nothing is kept once a limit is exceeded.
    const auto keep = [&](int depth, Event event, Json&) {
        if (isTooMuch) return false;
        if (event == Event::object_start) keysOfObjects.push_back(0);
        if (event == Event::object_end && !keysOfObjects.empty()) keysOfObjects.pop_back();
        if (event == Event::key && !keysOfObjects.empty())
            isTooMuch = ++numKeys > limits.keys || ++keysOfObjects.back() > limits.keysOfObject;
        isTooMuch = isTooMuch || depth > limits.depth;
        return !isTooMuch;
    };
    Json parsed = Json::parse(text, keep, /*allow_exceptions=*/false);
    return isTooMuch ? Json(Json::value_t::discarded) : parsed;
}

}  // namespace ingle
