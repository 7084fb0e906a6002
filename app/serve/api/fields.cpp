#include "app/serve/api/fields.h"

#include <fmt/format.h>

#include <cmath>

#include "ingle/bounded_json.h"
#include "ingle/shown_text.h"

namespace ingle::serve::api {

using json = nlohmann::ordered_json;

Expected<json> parseBody(std::string_view body) {
    constexpr JsonLimits kLimits{.keysOfObject = kMostFields};
    json parsed = parseBounded<json>(body, kLimits);
    if (parsed.is_discarded()) {
        return refuse(fmt::format(
            "The body is no JSON, or nested more than {} deep, or has more than {} fields in an object.",
            kLimits.depth, kLimits.keysOfObject));
    }
    if (!parsed.is_object()) return refuse("The body is not a JSON object.");
    return parsed;
}

Fields::Fields(const json& object, std::string place) : m_object(object), m_place(std::move(place)) {
    if (!object.is_object())
        complain({.message = fmt::format("'{}' must be an object.", m_place), .param = m_place});
}

std::string Fields::placeOf(std::string_view name) const {
    return m_place.empty() ? std::string(name) : fmt::format("{}.{}", m_place, name);
}

void Fields::complain(ApiError error) {
    if (!m_mistake) m_mistake = std::move(error);
}

void Fields::complain(std::string message, std::string_view name) {
    complain({.message = std::move(message), .param = placeOf(name)});
}

const json* Fields::find(std::string_view name) {
    m_known.emplace(name);
    if (!m_object.is_object()) return nullptr;
    const auto found = m_object.find(name);
    return found == m_object.end() || found->is_null() ? nullptr : &*found;
}

const json* Fields::any(std::string_view name) {
    return find(name);
}

std::optional<std::string> Fields::text(std::string_view name) {
    const json* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_string()) return value->get<std::string>();
    complain(fmt::format("'{}' must be a string.", placeOf(name)), name);
    return std::nullopt;
}

std::optional<bool> Fields::boolean(std::string_view name) {
    const json* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_boolean()) return value->get<bool>();
    complain(fmt::format("'{}' must be true or false.", placeOf(name)), name);
    return std::nullopt;
}

std::optional<double> Fields::number(std::string_view name, double least, double most) {
    const json* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_number()) {
        const auto number = value->get<double>();
        if (number >= least && number <= most) return number;
    }
    complain(fmt::format("'{}' must be a number from {} to {}.", placeOf(name), least, most), name);
    return std::nullopt;
}

std::optional<int64_t> Fields::integer(std::string_view name, int64_t least, int64_t most) {
    const json* value = find(name);
    if (value == nullptr) return std::nullopt;
    constexpr double kMostExact = 9007199254740992;  // of the whole numbers that a double holds
    bool fits = value->is_number_integer();
    if (value->is_number_unsigned())
        fits = value->get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (value->is_number_float())
        fits = std::abs(value->get<double>()) <= kMostExact &&
               std::trunc(value->get<double>()) == value->get<double>();
    if (fits) {
        const auto number = value->get<int64_t>();
        if (number >= least && number <= most) return number;
    }
    complain(fmt::format("'{}' must be a whole number from {} to {}.", placeOf(name), least, most), name);
    return std::nullopt;
}

const json* Fields::object(std::string_view name) {
    const json* value = find(name);
    if (value == nullptr || value->is_object()) return value;
    complain(fmt::format("'{}' must be an object.", placeOf(name)), name);
    return nullptr;
}

const json* Fields::list(std::string_view name) {
    const json* value = find(name);
    if (value == nullptr || value->is_array()) return value;
    complain(fmt::format("'{}' must be a list.", placeOf(name)), name);
    return nullptr;
}

void Fields::ignoreHints() {
    for (const char* name :
         {"user", "metadata", "safety_identifier", "store", "service_tier", "prompt_cache_key",
          "prompt_cache_retention", "verbosity", "prediction", "cache_prompt", "cache_control"})
        ignore(name);
}

void Fields::expect(std::string_view name, const json& value) {
    const json* found = find(name);
    if (found == nullptr || *found == value) return;
    complain(fmt::format("'{}' can only be {} here.", placeOf(name), value.dump()), name);
}

void Fields::require(std::string_view name) {
    if (find(name) == nullptr) complain(fmt::format("'{}' is missing.", placeOf(name)), name);
}

std::string Fields::requiredText(std::string_view name) {
    require(name);
    return text(name).value_or("");
}

Expected<void> Fields::finish() {
    if (m_mistake) return tl::unexpected(*m_mistake);
    for (const auto& [name, value] : m_object.items()) {
        if (value.is_null() || m_known.contains(name)) continue;
        const std::string place = shown(placeOf(name));
        return refuse(fmt::format("Unsupported field: '{}'.", place), place, "unsupported_field");
    }
    return {};
}

}  // namespace ingle::serve::api
