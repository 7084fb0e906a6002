/// What travels as JSON: docs/export-format.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "app/history/portable.h"
#include "ingle/result.h"

namespace ingle::exchange {

inline constexpr std::string_view kFormatName = "inglenook.history";
inline constexpr int kFormatVersion = 1;

// For history::PortableFolder, PortableProfile, PortableDocument and PortableConversation.

/// Keys stand in the order of the page that describes them; what has its default is left out.
template <typename Portable>
nlohmann::ordered_json jsonOf(const Portable& portable);
/// Values of another kind than the page says are errors (Corrupt); what is missing has its default; keys that
/// are not on the page are ignored.
template <typename Portable>
Result<Portable> readAs(const nlohmann::json& value);

/// On one line, in UTF-8.
std::string lineOf(const nlohmann::ordered_json& value);

}  // namespace ingle::exchange
