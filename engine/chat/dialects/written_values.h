/// Values as models write them in calls that are no JSON.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingle::chat {

inline constexpr std::string_view kBlanks = " \t\r\n";

inline void skipBlanks(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
}

/// Without blanks at both ends.
inline std::string_view stripped(std::string_view text) {
    skipBlanks(text);
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Texts are those of ControlTokens::spelled(); what is given back has no signs.

/// A text is taken off the front of `text`, in which a value of these forms begins. Nothing: it is not whole
/// (where `text` is then empty), or there is none.
std::optional<std::string_view> takeJson(std::string_view& text);

// Values of other languages are given as JSON text, in which numbers keep the digits that were written.
/// Of Python: numbers, texts, True, None, lists and dicts.
std::optional<std::string> takePython(std::string_view& text);
/// Of Gemma 4: as JSON, with bare keys and texts between quotes, which are kBracesQuote as a model spells it.
inline constexpr std::string_view kBracesQuote = "<|\"|>";
std::optional<std::string> takeBraces(std::string_view& text, std::string_view quote);

/// The value of a parameter that stands between tags, by the parameter's schema: a text stays the bytes that
/// were written, others are JSON. `schema` null: not known.
std::string typedValue(std::string_view written, const nlohmann::ordered_json* schema);

/// Whether values of such a parameter are texts.
bool isTextParameter(const nlohmann::ordered_json& schema);

/// A text as JSON has it; other bytes that are no UTF-8 become U+FFFD.
std::string jsonString(std::string_view text);
/// Nothing: it is no text in quotes, or wrong.
std::optional<std::string> textOfJson(std::string_view json);
bool isJsonObject(std::string_view text);
/// JSON without white space between its values.
std::string compactJson(std::string_view json);

/// What an object of JSON has, as it is written.
struct JsonMembers {
    struct Member {
        std::string key;
        std::string_view value;
    };
    std::vector<Member> all;
    bool isCut = false;  ///< the text ends inside of the object, and perhaps of the last value

    /// The first of the keys that there is; null: none.
    const Member* find(std::span<const std::string_view> keys) const;
};
/// `text` begins with the object's brace.
JsonMembers membersOf(std::string_view text);

}  // namespace ingle::chat
