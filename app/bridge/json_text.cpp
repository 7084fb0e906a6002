#include "app/bridge/json_text.h"

#include <limits>

#include "ingle/bounded_json.h"
#include "ingle/shown_text.h"

namespace ingle::bridge {
namespace {

/// A list of models, or of numbers of an embedding, is long, and its objects are not.
constexpr JsonLimits kLimits{.keys = 200'000, .values = 4'000'000};

}  // namespace

std::string validUtf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        const FirstCharacter first = firstCharacter(text);
        const bool isBad = first.code == 0 && text.front() != '\0';
        if (isBad)
            valid += "\xEF\xBF\xBD";
        else
            valid += text.substr(0, first.bytes);
        text.remove_prefix(first.bytes);
    }
    return valid;
}

std::optional<nlohmann::json> readJson(std::string_view text) {
    auto read = parseBounded<nlohmann::json>(text, kLimits);
    if (read.is_discarded()) read = parseBounded<nlohmann::json>(validUtf8(text), kLimits);
    if (read.is_discarded()) return std::nullopt;
    return read;
}

std::string writeJson(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

const nlohmann::json& memberAt(const nlohmann::json& object, const char* name) {
    static const nlohmann::json none;
    if (!object.is_object()) return none;
    const auto found = object.find(name);
    return found == object.end() ? none : *found;
}

std::optional<std::string> textAt(const nlohmann::json& object, const char* name) {
    const nlohmann::json& member = memberAt(object, name);
    if (!member.is_string()) return std::nullopt;
    return member.get<std::string>();
}

std::optional<uint32_t> countAt(const nlohmann::json& object, const char* name) {
    const nlohmann::json& member = memberAt(object, name);
    if (!member.is_number_unsigned() || member.get<uint64_t>() > std::numeric_limits<uint32_t>::max())
        return std::nullopt;
    return member.get<uint32_t>();
}

}  // namespace ingle::bridge
