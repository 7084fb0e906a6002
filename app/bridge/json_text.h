/// JSON of a stranger: read without exceptions, with whatever is no UTF-8 replaced.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ingle::bridge {

/// Bytes that are no UTF-8 become U+FFFD.
std::string validUtf8(std::string_view text);
/// Nothing where it is no JSON, or nested deeper than any that is meant.
std::optional<nlohmann::json> readJson(std::string_view text);
/// Compact; what is no UTF-8 becomes U+FFFD.
std::string writeJson(const nlohmann::json& value);

/// Nothing where `object` is none, or has no such member, or that is of another kind.
std::optional<std::string> textAt(const nlohmann::json& object, const char* name);
std::optional<uint32_t> countAt(const nlohmann::json& object, const char* name);
/// Null in those cases.
const nlohmann::json& memberAt(const nlohmann::json& object, const char* name);

}  // namespace ingle::bridge
