/// Values as models write them in calls that are no JSON.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace ingle::chat {

inline constexpr std::string_view kBlanks = " \t\r\n";

inline void skipBlanks(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
}

/// A text is taken off the front of `text`, in which a value of these forms begins. Nothing: it is not whole
/// (where `text` is then empty), or there is none.
std::optional<std::string_view> takeJson(std::string_view& text);
/// Of Python: numbers, texts, True, None, lists and dicts.
std::optional<nlohmann::ordered_json> takePython(std::string_view& text);
/// Of Gemma 4: as JSON, with bare keys and texts between <|"|>.
std::optional<nlohmann::ordered_json> takeBraces(std::string_view& text);

/// The value of a parameter that stands between tags, by the parameter's schema: a text stays the bytes that
/// were written, others are JSON. `schema` null: not known.
nlohmann::ordered_json typedValue(std::string_view written, const nlohmann::ordered_json* schema);

}  // namespace ingle::chat
