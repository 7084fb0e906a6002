/// JSON of strangers: what copies and prints it recurses, and an object compares each key with those before.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace ingle {

/// Far more than anybody writes, and little enough to be read at once.
struct JsonLimits {
    int depth = 64;
    size_t keys = 20'000;  ///< of all objects together
    size_t keysOfObject = 512;
};

/// Discarded (`is_discarded()`) where it is no JSON, or beyond the limits. Does not throw.
template <typename Json>
Json parseBounded(std::string_view text, const JsonLimits& limits = {}) {
    using Event = typename Json::parse_event_t;
    bool isTooMuch = false;
    size_t numKeys = 0;
    std::vector<size_t> keysOfObjects;
    // What comes after that is not even kept.
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
